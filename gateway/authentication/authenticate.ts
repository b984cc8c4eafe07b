/** authenticate: an Authorization header to the principal behind its API key. */
import { isSameDigest, parseApiKey, secretDigestOf } from '../../core/api-key.ts'
import type { NeededScope } from '../../core/api-key.ts'
import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problem.ts'
import type { KeyPrincipal } from '../call.ts'
import type { FindApiKey } from './api-keys.ts'
import { bearerChallenge, bearerTokenOf, invalidTokenChallenge, isApiKey } from './bearer.ts'
import { KeyRefusal } from './key-refusal.ts'
import type { ApiKeyRow } from './select-api-keys.ts'

/**
 * With null for the scope any key passes. Answers at once where the key is known.
 * @throws {Problem} 401, 403, or 503 while an unknown key cannot be looked up.
 */
export type Authenticate = (
  authorization: string | undefined,
  scope: NeededScope
) => KeyPrincipal | Promise<KeyPrincipal>

export interface AuthenticateDependencies {
  readonly findApiKey: FindApiKey
  readonly pepper: string
  readonly clock: Clock
  /** Told of every key that passes. */
  readonly noteUse: (keyId: string) => void
}

/**
 * Compared against when there is no such key, so that an unknown id costs what a known one costs.
 */
const nobodysDigest = Buffer.alloc(32)

export function createAuthenticate(dependencies: AuthenticateDependencies): Authenticate {
  const { findApiKey, pepper, clock, noteUse } = dependencies

  function principalOf(row: ApiKeyRow | null, secret: string, scope: NeededScope): KeyPrincipal {
    const isSame = isSameDigest(row?.secret_digest ?? nobodysDigest, secretDigestOf(pepper, secret))
    if (row === null || !isSame) throw invalidKey('It is not known here.')
    refuseEnded(row, clock.now())
    const { principal } = row
    if (!mayDo(principal, scope)) throw scopeMissing(principal, scope)
    noteUse(principal.key_id)
    return principal
  }

  return function authenticate(authorization, scope) {
    const { key_id, secret } = partsOf(authorization)
    const row = findApiKey(key_id)
    if (!(row instanceof Promise)) return principalOf(row, secret, scope)
    return row.then((found) => principalOf(found, secret, scope))
  }
}

function partsOf(authorization: string | undefined) {
  const token = bearerTokenOf(authorization)
  if (token === null) {
    const detail = 'Send the key as "Authorization: Bearer slk_…".'
    throw new Problem('api_key_required', { detail, headers: bearerChallenge })
  }
  const parts = parseApiKey(token)
  if (parts !== null) return parts
  const isKey = isApiKey(token)
  throw new Problem(isKey ? 'api_key_malformed' : 'api_key_required', {
    detail: isKey
      ? 'Its shape or checksum is wrong: was it cut off or mistyped?'
      : 'The credential is no API key; keys begin with slk_.',
    headers: bearerChallenge
  })
}

function refuseEnded({ principal, revoked_at, expires_at }: ApiKeyRow, now: number): void {
  if (revoked_at !== null) throw new KeyRefusal(principal, ...invalid('It was revoked.'))
  if (expires_at !== null && expires_at <= now) {
    throw new KeyRefusal(principal, ...invalid('It has expired.'))
  }
}

function mayDo({ scopes }: KeyPrincipal, needed: NeededScope): boolean {
  if (needed === null || scopes.includes('admin')) return true
  return typeof needed === 'string'
    ? scopes.includes(needed)
    : needed.some((scope) => scopes.includes(scope))
}

function invalidKey(detail: string): Problem {
  return new Problem(...invalid(detail))
}

function invalid(detail: string) {
  return ['api_key_invalid', { detail, headers: invalidTokenChallenge }] as const
}

function scopeMissing(principal: KeyPrincipal, needed: NeededScope): Problem {
  const scopes = typeof needed === 'string' ? [needed] : (needed ?? [])
  return new KeyRefusal(principal, 'scope_missing', {
    detail: `The key may not do this; it needs the scope ${scopes.join(' or ')}.`,
    members: { scope: scopes[0] ?? null }
  })
}
