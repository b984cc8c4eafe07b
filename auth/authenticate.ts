/** Authenticates a request: resolves an Authorization header to the principal of its API key. */
import { isSameDigest, parseApiKey, secretDigestOf } from '../core/ids/api-key.ts'
import type { RequiredScope } from '../core/ids/api-key.ts'
import type { Clock } from '../core/clock.ts'
import { Problem } from '../core/problem.ts'
import { knownCallers } from '../http/admission/known-callers.ts'
import { activeOrganizations } from '../http/admission/active-organizations.ts'
import { createCache } from '../platform/process/cache.ts'
import type { KeyPrincipal } from '../core/principal.ts'
import type { FindApiKey } from './api-keys.ts'
import { bearerChallenge, bearerTokenOf, invalidTokenChallenge, isApiKey } from './bearer.ts'
import { KeyProblem } from './key-problem.ts'
import type { ApiKeyRow } from './select-api-keys.ts'

/**
 * Authenticates an API key and checks its scope; a null scope accepts any key. Returns a plain
 * value instead of a promise if the key is cached.
 * @throws {Problem} 401, 403, or 503 while an unknown key cannot be looked up
 */
export type Authenticate = (
  authorization: string | undefined,
  scope: RequiredScope
) => KeyPrincipal | Promise<KeyPrincipal>

interface AuthenticateDependencies {
  readonly findApiKey: FindApiKey
  readonly pepper: string
  readonly clock: Clock
  /** Called for every request with an accepted key. */
  readonly noteUse: (keyId: string) => void
}

/**
 * Stand-in for the stored digest if the key does not exist, so that timing does not reveal which
 * ids exist.
 */
const absentDigest = Buffer.alloc(32)

/**
 * A key from an Authorization header. The digest of its secret is computed on first use and then
 * kept.
 */
interface PresentedKey {
  readonly key_id: string
  readonly digest: () => Buffer
}

/**
 * Maximum number of cached headers: enough for the keys that a busy gateway sees within minutes.
 */
const verifiedMax = 10_000

export function createAuthenticate(dependencies: AuthenticateDependencies): Authenticate {
  const { findApiKey, pepper, clock, noteUse } = dependencies
  // Caches digests, because computing one is most of the work. Only verified headers are cached, so
  // guessing evicts nothing. The digest is still compared on every request. V8 seeds the hashes of
  // a Map per process, so lookup times reveal nothing about the headers.
  const verified = createCache<PresentedKey>(verifiedMax)

  function principalOf(
    row: ApiKeyRow | null,
    presented: PresentedKey,
    scope: RequiredScope
  ): KeyPrincipal {
    const isSame = isSameDigest(row?.secret_digest ?? absentDigest, presented.digest())
    if (row === null || !isSame) throw invalidKey('No such API key exists.')
    refuseEnded(row, clock.now())
    const { principal } = row
    if (!mayDo(principal, scope)) throw scopeMissing(principal, scope)
    noteUse(principal.key_id)
    return principal
  }

  return function authenticate(authorization = '', scope) {
    const known = verified.get(authorization)
    const presented = known ?? presentedKeyOf(authorization, pepper)
    const pass = (row: ApiKeyRow | null): KeyPrincipal => {
      try {
        const principal = principalOf(row, presented, scope)
        const { organization_id } = principal
        activeOrganizations.note(organization_id)
        knownCallers.note(authorization, organization_id)
        if (known === undefined && isUsual(authorization)) verified.set(authorization, presented)
        return principal
      } catch (error) {
        verified.delete(authorization)
        throw error
      }
    }
    const row = findApiKey(presented.key_id)
    return row instanceof Promise ? row.then(pass) : pass(row)
  }
}

/**
 * Checks whether a header has the usual spelling. Only that spelling is cached; otherwise one key
 * could fill the cache with variants of its header.
 */
function isUsual(authorization: string): boolean {
  return authorization === `Bearer ${bearerTokenOf(authorization)}`
}

function presentedKeyOf(authorization: string, pepper: string): PresentedKey {
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
      ? 'The key has an invalid shape or checksum. Check that it was copied completely.'
      : 'The credential is not an API key. API keys begin with slk_.',
    headers: bearerChallenge
  })
}

function refuseEnded({ principal, revoked_at, expires_at }: ApiKeyRow, now: number): void {
  if (revoked_at !== null) throw new KeyProblem(principal, ...invalid('The API key was revoked.'))
  if (expires_at !== null && expires_at <= now) {
    throw new KeyProblem(principal, ...invalid('The API key has expired.'))
  }
}

/** Checks whether the key has the needed scope. */
export function mayDo({ scopes }: KeyPrincipal, needed: RequiredScope): boolean {
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

function scopeMissing(principal: KeyPrincipal, needed: RequiredScope): Problem {
  const scopes = typeof needed === 'string' ? [needed] : (needed ?? [])
  return new KeyProblem(principal, 'scope_missing', {
    detail: `The API key is missing the required scope: ${scopes.join(' or ')}.`,
    members: { scope: scopes[0] ?? null }
  })
}
