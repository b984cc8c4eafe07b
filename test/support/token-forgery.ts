/** Forges tokens from a valid token and its signing key. */
import { createHmac, createPublicKey, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

type Part = Record<string, unknown>

interface Forgery {
  /** Signs a token in which the given header and payload members replace the valid ones. */
  readonly forge: (header: object, payload: object, key?: KeyObject) => string
  /** Forged tokens, each with a description of its flaw. */
  readonly corpus: readonly (readonly [what: string, token: string])[]
}

export function newKey(namedCurve = 'P-256') {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve })
  return { privateKey, pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

/** Decodes a token without verifying it. */
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

/** @param whole a valid token that was just issued */
export function createForgery(whole: string, privateKey: KeyObject): Forgery {
  const [goodHeader, goodPayload] = decoded(whole)
  const seconds = Number(goodPayload['iat'])

  /** Signs with the real key by default, so that the signature itself is valid. */
  const forge: Forgery['forge'] = (header, payload, key = privateKey) =>
    signed(encoded({ ...goodHeader, ...header }, { ...goodPayload, ...payload }), key)

  /** Signs a token that has this text as its payload, with the real key. */
  function forgeClaims(text: string): string {
    const [header = ''] = encoded(goodHeader, {}).split('.')
    return signed(`${header}.${Buffer.from(text).toString('base64url')}`, privateKey)
  }

  /** Signs a changed JSON text with the real key. The text still parses to the original members. */
  function forgeText(beginning: string, instead: string, where: 'header' | 'payload' = 'payload') {
    const [header = '', payload = ''] = [goodHeader, goodPayload].map((part) =>
      JSON.stringify(part)
    )
    const change = (text: string) => text.replace(instead, beginning)
    const texts = where === 'header' ? [change(header), payload] : [header, change(payload)]
    const joined = texts.map((text) => Buffer.from(text).toString('base64url')).join('.')
    return signed(joined, privateKey)
  }

  /** Signs with a new key on another curve, but names the real key id. */
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
    ['another audience', forge({}, { aud: 'another-service' })],
    ['no audience', forge({}, { aud: undefined })],
    ['another issuer', forge({}, { iss: 'another-service' })],
    ['no issuer', forge({}, { iss: undefined })],
    ['another key id', forge({ kid: 'other' }, {})],
    ['a key id with a path', forge({ kid: '../../../dev/null' }, {})],
    ['no key id', forge({ kid: undefined }, {})],
    ['another key', forge({}, {}, newKey().privateKey)],
    ['an embedded key in the header', forge({ jwk: {} }, {}, newKey().privateKey)],
    ['an embedded key, signed with the real key', forge({ jwk: {} }, {})],
    ['a key URL in the header', forge({ jku: 'https://example.com/jwks.json' }, {})],
    ['a certificate in the header', forge({ x5c: ['MIIB'] }, {})],
    ['a critical extension', forge({ crit: ['exp'] }, {})],
    ['the critical extension b64', forge({ crit: ['b64'], b64: false }, {})],
    ['another type', forge({ typ: 'at+jwt' }, {})],
    ['a key of another curve', forgeOnP384()],
    ['a duplicate claim', forgeText('{"sub":"x",', '{')],
    ['a duplicate header member', forgeText('{"alg":"none",', '{', 'header')],
    ['spaces between the claims', forgeText('{ ', '{')],
    ['expired', forge({}, { exp: seconds - 60 })],
    ['no expiry', forge({}, { exp: undefined })],
    ['an expiry that is text', forge({}, { exp: String(seconds + 900) })],
    ['not valid yet', forge({}, { nbf: seconds + 60 })],
    ['issued in the future', forge({}, { iat: seconds + 60, exp: seconds + 960 })],
    ['a lifetime above the maximum', forge({}, { exp: seconds + 901 })],
    ['no issue time', forge({}, { iat: undefined })],
    ['an issue time that is text', forge({}, { iat: String(seconds) })],
    ['no user', forge({}, { sub: undefined })],
    ['a user that is a number', forge({}, { sub: 1 })],
    ['a user that is a list', forge({}, { sub: [goodPayload['sub']] })],
    ['a list with another audience', forge({}, { aud: ['another-service'] })],
    ['an organization that is not a UUID', forge({}, { organization_id: '*' })],
    ['an organization that is an object', forge({}, { organization_id: { $ne: null } })],
    ['no role', forge({}, { role: undefined })],
    ['a role that is a list', forge({}, { role: ['owner'] })],
    ['no session', forge({}, { sid: undefined })],
    ['a session that is not a UUID', forge({}, { sid: 'x' })],
    ['claims that are a list', forgeClaims('[]')],
    ['claims that are null', forgeClaims('null')],
    ['a huge token', `${'A'.repeat(5_000_000)}.A.A`],
    ['a huge valid token', forge({}, { padding: 'x'.repeat(10_000) })],
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
