/** Tokens that mean nothing by themselves: `<prefix>_` and 32 random bytes in base64url.
 *
 * Only a digest is stored. The bytes are random, so a plain SHA-256 is enough: there is nothing to
 * guess from.
 */
import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/**
 * slr refreshes a session, sle verifies an email, slp sets a new password, sli is of an invite,
 * slc confirms a registration.
 */
export type TokenPrefix = 'slr' | 'sle' | 'slp' | 'sli' | 'slc'

const tokenBytes = 32
const keyBytes = 32

export function createToken(prefix: TokenPrefix): string {
  return `${prefix}_${randomBytes(tokenBytes).toString('base64url')}`
}

/** What a token of this kind looks like, as a regular expression. */
export function tokenPattern(prefix: TokenPrefix): string {
  return `^${prefix}_[A-Za-z0-9_-]{43}$`
}

export function tokenDigestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** A key of its own for what follows from tokens, so that no other use of the secret tells it. */
export function successionKeyOf(secret: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'sluice refresh tokens', keyBytes))
}

/** The refresh token that takes this one's place: the same one for whoever asks, and never stored.
 */
export function successorOf(successionKey: Buffer, token: string): string {
  return `slr_${createHmac('sha256', successionKey).update(token).digest('base64url')}`
}
