/** Session tokens: ours are read back, and everything else is null. */
import { createHmac, createPublicKey, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import type { JsonWebKeyInput, KeyObject } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createSessionTokens } from '../../../platform/session-token.ts'

const claims = {
  user_id: '01938c4e-1111-7000-8000-5b7a9f002f6d',
  organization_id: '01938c4e-2222-7000-8000-5b7a9f002f6d',
  role: 'owner',
  session_id: '01938c4e-3333-7000-8000-5b7a9f002f6d'
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
  return signed(encoded({ ...goodHeader, ...header }, { ...goodPayload, ...payload }), key)
}

function signed(text: string, key: KeyObject = privateKey): string {
  const signature = signBytes('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

/** With our key, and claims that are this text. */
function forgeClaims(text: string): string {
  const [header = ''] = encoded(goodHeader, {}).split('.')
  return signed(`${header}.${Buffer.from(text).toString('base64url')}`)
}

/** With our key, and a text of the token that JSON reads as ours. */
function forgeText(beginning: string, instead: string, where: 'header' | 'payload' = 'payload') {
  const [header = '', payload = ''] = [goodHeader, goodPayload].map((part) => JSON.stringify(part))
  const change = (text: string) => text.replace(instead, beginning)
  const texts = where === 'header' ? [change(header), payload] : [header, change(payload)]
  return signed(texts.map((text) => Buffer.from(text).toString('base64url')).join('.'))
}

/** By its own key, whose name is not ours, and under our name. */
function forgeOnP384(): string {
  const { privateKey: key } = newKey('P-384')
  return signed(encoded(goodHeader, goodPayload), key)
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
    sid: claims.session_id,
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
  ['a key in the header, signed with ours', forge({ jwk: {} }, {})],
  ['an address of keys in the header', forge({ jku: 'https://example.com/jwks.json' }, {})],
  ['a certificate in the header', forge({ x5c: ['MIIB'] }, {})],
  ['an extension that is critical', forge({ crit: ['exp'] }, {})],
  ['an extension that is critical and ours', forge({ crit: ['b64'], b64: false }, {})],
  ['another type', forge({ typ: 'at+jwt' }, {})],
  ['a key of another curve', forgeOnP384()],
  ['a claim that is there twice', forgeText('{"sub":"x",', '{')],
  ['a header that is there twice', forgeText('{"alg":"none",', '{', 'header')],
  ['spaces between the claims', forgeText('{ ', '{')],
  ['expired', forge({}, { exp: seconds - 60 })],
  ['no end', forge({}, { exp: undefined })],
  ['an end that is text', forge({}, { exp: String(seconds + 900) })],
  ['not valid yet', forge({}, { nbf: seconds + 60 })],
  ['issued in the future', forge({}, { iat: seconds + 60, exp: seconds + 960 })],
  ['valid for longer than ours', forge({}, { exp: seconds + 901 })],
  ['no time of issue', forge({}, { iat: undefined })],
  ['a time of issue that is text', forge({}, { iat: String(seconds) })],
  ['no user', forge({}, { sub: undefined })],
  ['a user that is a number', forge({}, { sub: 1 })],
  ['a user that is a list', forge({}, { sub: [claims.user_id] })],
  ['audiences as a list with another', forge({}, { aud: ['somebody-else'] })],
  ['an organization that is no UUID', forge({}, { organization_id: '*' })],
  ['an organization that is an object', forge({}, { organization_id: { $ne: null } })],
  ['no role', forge({}, { role: undefined })],
  ['a role that is a list', forge({}, { role: ['owner'] })],
  ['no session', forge({}, { sid: undefined })],
  ['a session that is no UUID', forge({}, { sid: 'x' })],
  ['claims that are a list', forgeClaims('[]')],
  ['claims that are null', forgeClaims('null')],
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

test('takes tokens of earlier keys while they are named, and signs with the new one', () => {
  const next = newKey()
  const old = tokens.sign(claims)
  const rotated = createSessionTokens({
    signingKey: next.pem,
    verificationKeys: [publicPem],
    clock
  })
  expect(rotated.verify(old)).toEqual(claims)
  expect(rotated.verify(rotated.sign(claims))).toEqual(claims)
  expect(tokens.verify(rotated.sign(claims))).toBeNull()
  const forgotten = createSessionTokens({ signingKey: next.pem, clock })
  expect(forgotten.verify(old)).toBeNull()
})

test('shows its public keys, and nothing of the private one', () => {
  const next = newKey()
  const { publicKeys } = createSessionTokens({
    signingKey: next.pem,
    verificationKeys: [publicPem],
    clock
  })
  const [first, second] = publicKeys
  expect(publicKeys).toHaveLength(2)
  expect(second?.kid).toBe(goodHeader['kid'])
  expect(Object.keys(first ?? {})).toEqual(['kty', 'crv', 'x', 'y', 'kid', 'use', 'alg'])
  const jwk = first as unknown as JsonWebKeyInput['key']
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  expect(key.equals(createPublicKey(next.privateKey))).toBe(true)
})

test('refuses to start with a key of another kind', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const wrong = [newKey('P-384').pem, rsa.export({ type: 'pkcs8', format: 'pem' }).toString(), 'x']
  for (const signingKey of wrong) {
    expect(() => createSessionTokens({ signingKey, clock })).toThrow()
  }
})
