/** Session tokens: signs and verifies ES256 JWTs that are valid for 15 minutes. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import jwt from 'jsonwebtoken'
import type { Clock } from '../../core/clock.ts'
import { isUuid } from '../../core/ids/ids.ts'
import { createCache } from '../process/cache.ts'

export interface SessionClaims {
  readonly user_id: string
  readonly organization_id: string
  readonly role: string
  readonly session_id: string
}

export interface SessionTokens {
  sign(claims: SessionClaims): string
  /**
   * Returns the claims, or null if the token is not valid now or was not issued by Sluice. Never
   * throws.
   */
  verify(token: string): SessionClaims | null
  /** Public keys that verify accepted tokens, as JWKs (RFC 7517), signing key first. */
  readonly publicKeys: readonly PublicJwk[]
}

interface PublicJwk {
  readonly kty: string
  readonly crv: string
  readonly x: string
  readonly y: string
  readonly kid: string
  readonly use: 'sig'
  readonly alg: 'ES256'
}

interface SessionTokenOptions {
  /**
   * P-256 private key (PEM). Null in a process without logins. Such a process uses a random key and
   * therefore accepts only tokens of `verificationKeys`.
   */
  readonly signingKey: string | null
  /** Earlier public keys (PEM) whose tokens are still accepted. */
  readonly verificationKeys?: readonly string[]
  readonly clock: Clock
}

export const sessionSeconds = 900
const algorithm = 'ES256'
const issuer = 'sluice'
const audience = 'sluice-api'
/** Tolerance for clock differences between gateways. */
const clockToleranceSeconds = 5
/**
 * Maximum length of a token in characters. A token has about 550; texts above the maximum are
 * rejected without decoding.
 */
const tokenCharsMax = 2048
/** Maximum number of cached tokens, enough for the sessions of a busy gateway. */
const provenMax = 10_000

/** @throws if the key is not a P-256 private key */
export function createSessionTokens(options: SessionTokenOptions): SessionTokens {
  const privateKey = readSigningKey(options.signingKey)
  const earlier = (options.verificationKeys ?? []).map((pem) => createPublicKey(pem))
  const keys = new Map(
    [createPublicKey(privateKey), ...earlier].map((key) => [thumbprintOf(key), key])
  )
  const [keyid = ''] = keys.keys()
  const nowSeconds = (): number => Math.floor(options.clock.now() / 1000)
  // Caches verified tokens, because verifying a signature costs as much as a small read. Invalid
  // tokens are not cached, so they cannot displace valid ones.
  const proven = createCache<Token>(provenMax)

  function prove(token: string, now: number): Token | null {
    const key = keys.get(keyIdOf(token))
    if (key === undefined) return null
    try {
      const payload = jwt.verify(token, key, {
        algorithms: [algorithm],
        issuer,
        audience,
        clockTolerance: clockToleranceSeconds,
        clockTimestamp: now
      })
      const found = tokenOf(payload)
      if (found !== null) proven.set(token, found)
      return found
    } catch {
      return null
    }
  }

  return {
    sign: ({ user_id, organization_id, role, session_id: sid }) => {
      const iat = nowSeconds()
      const payload = { organization_id, role, sid, iat, exp: iat + sessionSeconds }
      const options = { algorithm, keyid, issuer, audience, subject: user_id } as const
      return jwt.sign(payload, privateKey, options)
    },
    verify: (token) => {
      if (token.length > tokenCharsMax) return null
      const now = nowSeconds()
      const found = proven.get(token) ?? prove(token, now)
      return found !== null && isValidAt(found, now) ? found.claims : null
    },
    publicKeys: [...keys].map(([kid, key]) => jwkOf(kid, key))
  }
}

function readSigningKey(pem: string | null): KeyObject {
  if (pem === null) return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const key = createPrivateKey(pem)
  if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key
  throw new Error(`the session signing key must be a P-256 key, but is ${key.asymmetricKeyType}`)
}

/** Returns the JWK thumbprint (RFC 7638): SHA-256 of the key's required members, sorted by name. */
function thumbprintOf(publicKey: KeyObject): string {
  const { crv, kty, x, y } = publicKey.export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}

function jwkOf(kid: string, publicKey: KeyObject): PublicJwk {
  const { kty = '', crv = '', x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return { kty, crv, x, y, kid, use: 'sig', alg: algorithm }
}

/**
 * Returns the key id of a token, or an empty string if the token does not have Sluice's format. The
 * header must match Sluice's own byte for byte, which rejects embedded keys, key URLs and
 * extensions. The payload must be exactly what `JSON.stringify` writes, which rejects duplicate
 * members.
 */
function keyIdOf(token: string): string {
  const [header, payload] = token.split('.').map(readPart)
  if (header === undefined || payload === undefined) return ''
  const { kid } = header.value
  const ours = JSON.stringify({ alg: algorithm, typ: 'JWT', kid })
  const isOurs = header.text === ours && payload.text === JSON.stringify(payload.value)
  return isOurs && typeof kid === 'string' ? kid : ''
}

/** Verified content of a session token. Times are in seconds since 1970. */
interface Token {
  readonly claims: SessionClaims
  readonly issuedAt: number
  readonly endsAt: number
}

interface Part {
  readonly text: string
  readonly value: Record<string, unknown>
}

function readPart(part: string): Part | undefined {
  try {
    const text = Buffer.from(part, 'base64url').toString('utf8')
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return undefined
    return { text, value: value as Record<string, unknown> }
  } catch {
    return undefined
  }
}

function isValidAt({ issuedAt, endsAt }: Token, now: number): boolean {
  const isBegun = issuedAt <= now + clockToleranceSeconds
  return isBegun && now < endsAt + clockToleranceSeconds && endsAt <= issuedAt + sessionSeconds
}

/**
 * Extracts the claims. Rejects a token without `exp`, which the library accepts although it never
 * expires.
 */
function tokenOf(payload: string | jwt.JwtPayload): Token | null {
  if (typeof payload === 'string') return null
  const { sub, organization_id, role, sid, iat, exp } = payload as Record<string, unknown>
  if (typeof iat !== 'number' || typeof exp !== 'number') return null
  const isWhole = isId(sub) && isId(organization_id) && isId(sid) && typeof role === 'string'
  if (!isWhole) return null
  const claims = { user_id: sub, organization_id, role, session_id: sid }
  return { claims, issuedAt: iat, endsAt: exp }
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && isUuid(value)
}
