/** Session tokens: ours are read back, and everything else is null. */
import { createHmac, createPublicKey, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createSessionTokens } from '../../../platform/session-token.ts'

const claims = {
  user_id: '01938c4e-1111-7000-8000-5b7a9f002f6d',
  organization_id: '01938c4e-2222-7000-8000-5b7a9f002f6d',
  role: 'owner'
}
const clock = { time: Date.UTC(2026, 0, 31), now: () => clock.time }
const seconds = clock.time / 1000

function newKey(namedCurve = 'P-256') {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve })
  return { privateKey, pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

const { privateKey, pem } = newKey()
const tokens = createSessionTokens({ signingKey: pem, clock })
const [goodHeader, goodPayload] = decoded(tokens.sign(claims))

function decoded(token: string): [Record<string, unknown>, Record<string, unknown>] {
  const [header = '', payload = ''] = token.split('.')
  const read = (part: string) =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
  return [read(header), read(payload)]
}

function encoded(header: object, payload: unknown): string {
  const parts = [header, payload].map((part) => Buffer.from(JSON.stringify(part)))
  return parts.map((part) => part.toString('base64url')).join('.')
}

/** Signs whatever it is given, so that only the claims can be wrong. */
function forge(header: object, payload: object, key: KeyObject = privateKey): string {
  const text = encoded({ ...goodHeader, ...header }, { ...goodPayload, ...payload })
  const signature = signBytes('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

function forgeHmac(secret: string | Buffer): string {
  const text = encoded({ ...goodHeader, alg: 'HS256' }, goodPayload)
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

test('reads back what it signed, for 15 minutes', () => {
  expect(tokens.verify(tokens.sign(claims))).toEqual(claims)
  expect(goodHeader).toEqual({ alg: 'ES256', typ: 'JWT', kid: expect.any(String) })
  expect(goodPayload).toEqual({
    sub: claims.user_id,
    organization_id: claims.organization_id,
    role: 'owner',
    iss: 'sluice',
    aud: 'sluice-api',
    iat: seconds,
    exp: seconds + 900
  })
})

test('the forger of this file makes valid tokens unless told otherwise', () => {
  expect(tokens.verify(forge({}, {}))).toEqual(claims)
})

test('the key id is the RFC 7638 thumbprint, so another process with the key has the same', () => {
  const other = createSessionTokens({ signingKey: pem, clock })
  expect(other.verify(tokens.sign(claims))).toEqual(claims)
  expect(goodHeader['kid']).toMatch(/^[\w-]{43}$/)
})

test('ends after 15 minutes, with five seconds for clocks that differ', () => {
  const token = tokens.sign(claims)
  const late = (ms: number) =>
    createSessionTokens({ signingKey: pem, clock: { now: () => clock.time + ms } }).verify(token)
  expect(late(904_000)).toEqual(claims)
  expect(late(906_000)).toBeNull()
})

const publicKey = createPublicKey(privateKey)
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const publicDer = publicKey.export({ type: 'spki', format: 'der' })
const whole = forge({}, {})

const corpus: [string, string][] = [
  ['alg none without a signature', `${encoded({ ...goodHeader, alg: 'none' }, goodPayload)}.`],
  ['alg nOnE', `${encoded({ ...goodHeader, alg: 'nOnE' }, goodPayload)}.`],
  ['alg none with a signature', forge({ alg: 'none' }, {})],
  ['no alg', forge({ alg: undefined }, {})],
  ['HS256 with the public key as PEM', forgeHmac(publicPem)],
  ['HS256 with the public key as DER', forgeHmac(publicDer)],
  ['HS256 with an empty secret', forgeHmac('')],
  ['alg ES384', forge({ alg: 'ES384' }, {})],
  ['alg RS256', forge({ alg: 'RS256' }, {})],
  ['another audience', forge({}, { aud: 'somebody-else' })],
  ['no audience', forge({}, { aud: undefined })],
  ['another issuer', forge({}, { iss: 'somebody-else' })],
  ['no issuer', forge({}, { iss: undefined })],
  ['another key id', forge({ kid: 'other' }, {})],
  ['a key id with a path', forge({ kid: '../../../dev/null' }, {})],
  ['no key id', forge({ kid: undefined }, {})],
  ['another key', forge({}, {}, newKey().privateKey)],
  ['a key of its own in the header', forge({ jwk: {} }, {}, newKey().privateKey)],
  ['expired', forge({}, { exp: seconds - 60 })],
  ['no end', forge({}, { exp: undefined })],
  ['an end that is text', forge({}, { exp: String(seconds + 900) })],
  ['not valid yet', forge({}, { nbf: seconds + 60 })],
  ['no user', forge({}, { sub: undefined })],
  ['an organization that is no UUID', forge({}, { organization_id: '*' })],
  ['no role', forge({}, { role: undefined })],
  ['a giant', `${'A'.repeat(5_000_000)}.A.A`],
  ['a valid giant', forge({}, { padding: 'x'.repeat(10_000) })],
  ['a cut-off signature', whole.slice(0, -5)],
  ['no signature', whole.slice(0, whole.lastIndexOf('.') + 1)],
  ['another payload', whole.replace(/\.[^.]+\./, `.${encoded({}, { sub: 'x' }).slice(3)}.`)],
  ['a payload that is a text', `${encoded(goodHeader, 'sluice')}.AAAA`],
  ['one part', 'eyJhbGciOiJFUzI1NiJ9'],
  ['five parts', 'a.b.c.d.e'],
  ['dots', '...'],
  ['nothing', ''],
  ['an API key', 'slk_local_abcdefghijkl_0000'],
  ['control characters', '\u0000\u0001.\ud800.🔑']
]

test.each(corpus)('refuses %s', (_, token) => {
  expect(tokens.verify(token)).toBeNull()
})

test('refuses to start with a key of another kind', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const wrong = [newKey('P-384').pem, rsa.export({ type: 'pkcs8', format: 'pem' }).toString(), 'x']
  for (const signingKey of wrong) {
    expect(() => createSessionTokens({ signingKey, clock })).toThrow()
  }
})
