/** authenticate: an Authorization header to the principal behind its API key. */
import { isSameDigest, parseApiKey, secretDigestOf } from '../core/ids/api-key.ts'
import type { NeededScope } from '../core/ids/api-key.ts'
import type { Clock } from '../core/clock.ts'
import { Problem } from '../core/problem.ts'
import { knownCallers } from '../http/admission/known-callers.ts'
import { neighbours } from '../http/admission/neighbours.ts'
import { createCache } from '../platform/process/cache.ts'
import type { KeyPrincipal } from '../core/principal.ts'
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

/** What a header claims: whose key it is, and what its secret comes to, computed once. */
interface Claim {
  readonly key_id: string
  readonly digest: () => Buffer
}

/** Headers whose digest is kept: as many as keys that one gateway may see in busy minutes. */
const provenMax = 10_000

export function createAuthenticate(dependencies: AuthenticateDependencies): Authenticate {
  const { findApiKey, pepper, clock, noteUse } = dependencies
  // To compute the digest is most of the work, and it comes out the same each time. Only what was
  // proven is kept, so guessing displaces nothing; the digest is compared each time all the same.
  // A map looks a text up by its hash under a seed of this process: time tells nothing of it.
  const proven = createCache<Claim>(provenMax)

  function principalOf(row: ApiKeyRow | null, claim: Claim, scope: NeededScope): KeyPrincipal {
    const isSame = isSameDigest(row?.secret_digest ?? nobodysDigest, claim.digest())
    if (row === null || !isSame) throw invalidKey('It is not known here.')
    refuseEnded(row, clock.now())
    const { principal } = row
    if (!mayDo(principal, scope)) throw scopeMissing(principal, scope)
    noteUse(principal.key_id)
    return principal
  }

  return function authenticate(authorization = '', scope) {
    const known = proven.get(authorization)
    const claim = known ?? claimOf(authorization, pepper)
    const pass = (row: ApiKeyRow | null): KeyPrincipal => {
      try {
        const principal = principalOf(row, claim, scope)
        const { organization_id } = principal
        neighbours.note(organization_id)
        knownCallers.note(authorization, organization_id)
        if (known === undefined && isUsual(authorization)) proven.set(authorization, claim)
        return principal
      } catch (error) {
        proven.delete(authorization)
        throw error
      }
    }
    const row = findApiKey(claim.key_id)
    return row instanceof Promise ? row.then(pass) : pass(row)
  }
}

/** One spelling for each key: who has one could else fill the memory with ways to write it. */
function isUsual(authorization: string): boolean {
  return authorization === `Bearer ${bearerTokenOf(authorization)}`
}

function claimOf(authorization: string, pepper: string): Claim {
  const { key_id, secret } = partsOf(authorization)
  let digest: Buffer | undefined
  return { key_id, digest: () => (digest ??= secretDigestOf(pepper, secret)) }
}

function partsOf(authorization: string) {
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
