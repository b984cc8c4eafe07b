/** Session tokens: JWT signed with ES256, valid for 15 minutes, everything about them pinned. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import jwt from 'jsonwebtoken'
import type { Clock } from '../core/clock.ts'
import { isUuid } from '../core/ids.ts'

export interface SessionClaims {
  readonly user_id: string
  readonly organization_id: string
  readonly role: string
}

export interface SessionTokens {
  sign(claims: SessionClaims): string
  /** Null for whatever is not a token of ours that is valid now; never throws. */
  verify(token: string): SessionClaims | null
}

export interface SessionTokenOptions {
  /** PEM of a P-256 private key. Null where nobody logs in: then no token is valid. */
  readonly signingKey: string | null
  readonly clock: Clock
}

export const sessionSeconds = 900
const algorithm = 'ES256'
const issuer = 'sluice'
const audience = 'sluice-api'
/** Gateways' clocks differ a little. */
const clockToleranceSeconds = 5
/** Ours have some 450 characters; a giant one is not worth decoding. */
const tokenCharsMax = 2048

/** @throws when the key is no P-256 private key. */
export function createSessionTokens(options: SessionTokenOptions): SessionTokens {
  const privateKey = readSigningKey(options.signingKey)
  const publicKey = createPublicKey(privateKey)
  const keyid = thumbprintOf(publicKey)
  const nowSeconds = (): number => Math.floor(options.clock.now() / 1000)

  return {
    sign: ({ user_id, organization_id, role }) => {
      const iat = nowSeconds()
      const payload = { organization_id, role, iat, exp: iat + sessionSeconds }
      const options = { algorithm, keyid, issuer, audience, subject: user_id } as const
      return jwt.sign(payload, privateKey, options)
    },
    verify: (token) => {
      if (token.length > tokenCharsMax) return null
      try {
        const { header, payload } = jwt.verify(token, publicKey, {
          algorithms: [algorithm],
          issuer,
          audience,
          clockTolerance: clockToleranceSeconds,
          clockTimestamp: nowSeconds(),
          complete: true
        })
        return header.kid === keyid ? claimsOf(payload) : null
      } catch {
        return null
      }
    }
  }
}

function readSigningKey(pem: string | null): KeyObject {
  if (pem === null) return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const key = createPrivateKey(pem)
  if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key
  throw new Error(`the session signing key is no P-256 key but ${key.asymmetricKeyType}`)
}

/** RFC 7638: SHA-256 over the required members of the key, in the order of their names. */
function thumbprintOf(publicKey: KeyObject): string {
  const { crv, kty, x, y } = publicKey.export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}

/** The library takes a token without `exp` for one that never ends; ours always have one. */
function claimsOf(payload: string | jwt.JwtPayload): SessionClaims | null {
  if (typeof payload === 'string' || typeof payload.exp !== 'number') return null
  const { sub: user_id, organization_id, role } = payload as Record<string, unknown>
  if (typeof user_id !== 'string' || typeof role !== 'string') return null
  if (typeof organization_id !== 'string' || !isUuid(organization_id)) return null
  return { user_id, organization_id, role }
}
