/** API keys: `slk_<env>_<12-char id>_<32-char secret><6-char crc32>`, in base62.
 *
 * The prefix makes a leaked key easy to find, and underscores let a double click select the whole
 * key. The checksum covers everything before it, so a mistyped key is rejected without a database
 * query.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const keyIdChars = 12
const secretChars = 32
const checksumChars = 6
const environmentExpression = /^[a-z0-9]{1,16}$/
const keyExpression = /^slk_[a-z0-9]{1,16}_([0-9A-Za-z]{12})_([0-9A-Za-z]{32})[0-9A-Za-z]{6}$/

export const apiKeyScopes = [
  'ingest',
  'evaluation:read',
  'evaluation:write',
  'feedback:write',
  'profiles:read',
  'admin'
] as const
export type ApiKeyScope = (typeof apiKeyScopes)[number]
/** A required scope: one scope, a list of alternatives, or null to accept any key. */
export type RequiredScope = ApiKeyScope | readonly ApiKeyScope[] | null

/**
 * Redis channel on which gateways are notified of changed keys. Each message is the id of a key.
 */
export const apiKeyChangesChannel = 'sluice:api-key-changes'

export interface ApiKeyParts {
  readonly key_id: string
  readonly secret: string
}

/**
 * Creates a key. The key is shown to its owner once; only the digest of its secret is stored (see
 * `secretDigestOf`).
 * @throws {RangeError} unless `environment` is 1 to 16 characters of a-z and 0-9
 */
export function createApiKey(environment: string): ApiKeyParts & { api_key: string } {
  if (!isKeyEnvironment(environment)) {
    throw new RangeError('the environment of a key must be 1 to 16 characters of a-z and 0-9')
  }
  const key_id = randomBase62(keyIdChars)
  const secret = randomBase62(secretChars)
  const body = `slk_${environment}_${key_id}_${secret}`
  return { key_id, secret, api_key: body + checksumOf(body) }
}

export function isKeyEnvironment(text: string): boolean {
  return environmentExpression.test(text)
}

/** Splits a key into its parts. Returns null if its shape or checksum is wrong. */
export function parseApiKey(text: string): ApiKeyParts | null {
  const match = keyExpression.exec(text)
  if (match === null) return null
  const body = text.slice(0, -checksumChars)
  if (text.slice(-checksumChars) !== checksumOf(body)) return null
  return { key_id: match[1] ?? '', secret: match[2] ?? '' }
}

/**
 * Returns the HMAC-SHA-256 of the secret. The pepper is kept outside the database, so a stolen
 * table is useless without it.
 */
export function secretDigestOf(pepper: string, secret: string): Buffer {
  return createHmac('sha256', pepper).update(secret).digest()
}

export function isSameDigest(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right)
}

function checksumOf(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let place = 0; place < checksumChars; place++) {
    text = alphabet.charAt(rest % alphabet.length) + text
    rest = Math.floor(rest / alphabet.length)
  }
  return text
}

/**
 * Returns random base62 characters. Discards bytes of 248 and above, because 256 is not a multiple
 * of 62 and using them would favor some characters.
 */
function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % alphabet.length)
    }
  }
  return text
}
