/** authenticate: an Authorization header to the principal behind its API key. */
import { isSameDigest, parseApiKey, secretDigestOf } from '../../core/api-key.ts'
import type { ApiKeyScope } from '../../core/api-key.ts'
import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problem.ts'
import type { KeyPrincipal } from '../call.ts'
import type { FindApiKey } from './api-keys.ts'
import { bearerChallenge, bearerTokenOf, invalidTokenChallenge, isApiKey } from './bearer.ts'
import type { ApiKeyRow } from './select-api-keys.ts'

/**
 * Answers at once where the key is known.
 * @throws {Problem} 401, 403, or 503 while an unknown key cannot be looked up.
 */
export type Authenticate = (
  authorization: string | undefined,
  scope: ApiKeyScope
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

  function principalOf(row: ApiKeyRow | null, secret: string, scope: ApiKeyScope): KeyPrincipal {
    const isSame = isSameDigest(row?.secret_digest ?? nobodysDigest, secretDigestOf(pepper, secret))
    if (row === null || !isSame) throw invalidKey('It is not known here.')
    refuseEnded(row, clock.now())
    const { principal } = row
    const mayDo = principal.scopes.includes(scope) || principal.scopes.includes('admin')
    if (!mayDo) throw scopeMissing(scope)
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

function refuseEnded(row: ApiKeyRow, now: number): void {
  if (row.revoked_at !== null) throw invalidKey('It was revoked.')
  if (row.expires_at !== null && row.expires_at <= now) throw invalidKey('It has expired.')
}

function invalidKey(detail: string): Problem {
  return new Problem('api_key_invalid', { detail, headers: invalidTokenChallenge })
}

function scopeMissing(scope: ApiKeyScope): Problem {
  return new Problem('scope_missing', {
    detail: `The key may not do this; it needs the scope ${scope}.`,
    members: { scope }
  })
}
