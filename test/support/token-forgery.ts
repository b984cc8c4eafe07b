/** Tokens that look like ours and are not, made from one that is and the key that signed it. */
import { createHmac, createPublicKey, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

type Part = Record<string, unknown>

export interface Forgery {
  /** Made as ours are, and valid unless a part is told to be otherwise. */
  readonly forge: (header: object, payload: object, key?: KeyObject) => string
  /** What is wrong with each, and the token. */
  readonly corpus: readonly (readonly [what: string, token: string])[]
}

export function newKey(namedCurve = 'P-256') {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve })
  return { privateKey, pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

/** The parts of a token, unchecked. */
export function decoded(token: string): [Part, Part] {
  const [header = '', payload = ''] = token.split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Part
  return [read(header), read(payload)]
}

function encoded(header: object, payload: unknown): string {
  const parts = [header, payload].map((part) => Buffer.from(JSON.stringify(part)))
  return parts.map((part) => part.toString('base64url')).join('.')
}

function signed(text: string, key: KeyObject): string {
  const signature = signBytes('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

/** @param whole a token that is valid, issued now. */
export function createForgery(whole: string, privateKey: KeyObject): Forgery {
  const [goodHeader, goodPayload] = decoded(whole)
  const seconds = Number(goodPayload['iat'])

  /** Signs whatever it is given, so that only the claims can be wrong. */
  const forge: Forgery['forge'] = (header, payload, key = privateKey) =>
    signed(encoded({ ...goodHeader, ...header }, { ...goodPayload, ...payload }), key)

  /** With our key, and claims that are this text. */
  function forgeClaims(text: string): string {
    const [header = ''] = encoded(goodHeader, {}).split('.')
    return signed(`${header}.${Buffer.from(text).toString('base64url')}`, privateKey)
  }

  /** With our key, and a text of the token that JSON reads as ours. */
  function forgeText(beginning: string, instead: string, where: 'header' | 'payload' = 'payload') {
    const [header = '', payload = ''] = [goodHeader, goodPayload].map((part) =>
      JSON.stringify(part)
    )
    const change = (text: string) => text.replace(instead, beginning)
    const texts = where === 'header' ? [change(header), payload] : [header, change(payload)]
    const joined = texts.map((text) => Buffer.from(text).toString('base64url')).join('.')
    return signed(joined, privateKey)
  }

  /** By its own key, whose name is not ours, and under our name. */
  function forgeOnP384(): string {
    return signed(encoded(goodHeader, goodPayload), newKey('P-384').privateKey)
  }

  function forgeHmac(secret: string | Buffer): string {
    const text = encoded({ ...goodHeader, alg: 'HS256' }, goodPayload)
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }

  const publicKey = createPublicKey(privateKey)
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const publicDer = publicKey.export({ type: 'spki', format: 'der' })

  const corpus: Forgery['corpus'] = [
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
    ['a user that is a list', forge({}, { sub: [goodPayload['sub']] })],
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
  return { forge, corpus }
}
