/** Opaque tokens: `<prefix>_` and 32 random bytes in base64url.
 *
 * Only a digest is stored. A plain SHA-256 is sufficient, because random bytes cannot be guessed.
 */
import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/**
 * slr refreshes a session, sle verifies an email, slp sets a new password, sli accepts an invite,
 * and slc confirms a registration.
 */
type TokenPrefix = 'slr' | 'sle' | 'slp' | 'sli' | 'slc'

const tokenBytes = 32
const keyBytes = 32

export function createToken(prefix: TokenPrefix): string {
  return `${prefix}_${randomBytes(tokenBytes).toString('base64url')}`
}

/** Returns a regular expression for tokens with this prefix. */
export function tokenPattern(prefix: TokenPrefix): string {
  return `^${prefix}_[A-Za-z0-9_-]{43}$`
}

export function tokenDigestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Derives a separate key for successor tokens, so that no other use of the secret reveals it. */
export function successionKeyOf(secret: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'sluice refresh tokens', keyBytes))
}

/**
 * Returns the successor of a refresh token. It is derived instead of stored, so a token always has
 * the same successor.
 */
export function successorOf(successionKey: Buffer, token: string): string {
  return `slr_${createHmac('sha256', successionKey).update(token).digest('base64url')}`
}
