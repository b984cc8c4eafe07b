/** limit rate: takes decisions from the organization's window and the key's, or says 429. */
import { problems } from '../../core/problem.ts'
import type { Problem } from '../../core/problem.ts'
import type {
  RateLimit,
  RateLimiter,
  RateLimitState
} from '../../platform/rate-limit/rate-limiter.ts'
import type { KeyPrincipal } from '../../core/principal.ts'
import { createLimitPolicy, limitHeaders, limitProblem } from './limit-policy.ts'
import type { LimitPolicy } from './limit-policy.ts'

export interface Quota {
  /** How many of the items fit: from 0 to all. They count, whatever becomes of them. */
  readonly granted: number
  /** What the caller has left, under the limit that leaves the least. */
  readonly headers: Readonly<Record<string, string>>
  /** The 429 for what did not fit; null when everything did. */
  readonly refusal: Problem | null
}

/** Answers at once, without a promise, as long as the windows' leases cover it. */
export type LimitRate = (principal: KeyPrincipal, items: number) => Quota | Promise<Quota>

/**
 * The quota of a caller whose window is known to have nothing left, with its refusal; null for all
 * others. Nothing is taken, and nothing waited for.
 */
export type FindSpent = (principal: KeyPrincipal) => SpentQuota | null

export interface SpentQuota extends Quota {
  readonly refusal: Problem
}

/** A refusal costs a point for so many bytes that had to be read for it, and one at least. */
export const refusedBytesPerPoint = 64 * 1024

/** What a refusal costs. What may succeed later, unchanged, costs no more than to be accepted. */
export function pointsOfRefusal({ code }: Problem, bytes: number): number {
  return problems[code].retryable ? 1 : Math.max(1, Math.ceil(bytes / refusedBytesPerPoint))
}

export interface LimitRateDependencies {
  readonly rateLimiter: RateLimiter
  /** For organizations without one of their own; its window is everybody's. */
  readonly defaultLimit: RateLimit
}

/** A limit, and whose window it is. */
interface Limited {
  readonly key: string
  readonly policy: LimitPolicy
}

interface LimitedPrincipal {
  readonly organization: Limited
  /** Null where the key has no limit of its own. */
  readonly key: Limited | null
}

interface Taken {
  readonly from: Limited
  readonly state: RateLimitState
}

export function createLimitRate({ rateLimiter, defaultLimit }: LimitRateDependencies) {
  // A principal is the same object for as long as its key is known and unchanged.
  const known = new WeakMap<KeyPrincipal, LimitedPrincipal>()

  function limitedOf(principal: KeyPrincipal): LimitedPrincipal {
    let limited = known.get(principal)
    if (limited === undefined) {
      limited = createLimitedPrincipal(principal, defaultLimit)
      known.set(principal, limited)
    }
    return limited
  }

  /** The key takes what the organization was given, and the organization gets back the rest. */
  function limitKey(items: number, organization: Taken, from: Limited): Quota | Promise<Quota> {
    const state = rateLimiter.take(from.key, from.policy.limit, organization.state.granted)
    if (!(state instanceof Promise)) return settle(items, organization, { from, state })
    return state.then((late) => settle(items, organization, { from, state: late }))
  }

  function settle(items: number, organization: Taken, key: Taken): Quota {
    const { granted } = key.state
    const unused = organization.state.granted - granted
    if (unused > 0) giveBack(organization, unused)
    const isKeyTighter = unused > 0 || key.state.remaining < organization.state.remaining
    return quotaOf(items, granted, isKeyTighter ? key : organization)
  }

  /** Not into the next window, which may have begun while the key's was asked for. */
  function giveBack({ from, state }: Taken, points: number): void {
    const { limit } = from.policy
    const current = rateLimiter.look(from.key, limit)
    const halfWindowMs = (limit.windowSeconds * 1000) / 2
    const hasBegunAnew = current.resetMs > state.resetMs + halfWindowMs
    if (!hasBegunAnew) rateLimiter.giveBack(from.key, limit, points)
  }

  function limit(items: number, limited: LimitedPrincipal, state: RateLimitState) {
    const organization = { from: limited.organization, state }
    if (limited.key !== null && state.granted > 0) return limitKey(items, organization, limited.key)
    return quotaOf(items, state.granted, organization)
  }

  const limitRate: LimitRate = (principal, items) => {
    const limited = limitedOf(principal)
    const { key, policy } = limited.organization
    const state = rateLimiter.take(key, policy.limit, items)
    if (!(state instanceof Promise)) return limit(items, limited, state)
    return state.then((late) => limit(items, limited, late))
  }

  const findSpent: FindSpent = (principal) => {
    const { organization, key } = limitedOf(principal)
    return spentQuotaOf(rateLimiter, organization) ?? (key && spentQuotaOf(rateLimiter, key))
  }

  return { limitRate, findSpent }
}

function spentQuotaOf(rateLimiter: RateLimiter, { key, policy }: Limited): SpentQuota | null {
  if (!rateLimiter.isSpent(key, policy.limit)) return null
  const state = rateLimiter.look(key, policy.limit)
  return { granted: 0, headers: limitHeaders(policy, state), refusal: limitProblem(policy, state) }
}

function createLimitedPrincipal(principal: KeyPrincipal, defaultLimit: RateLimit) {
  const { organization_id, rate_limit_points, key_id, key_rate_limit_points } = principal
  const { windowSeconds } = defaultLimit
  const limitOf = (points: number): RateLimit => ({ points, windowSeconds })
  const organization = {
    key: `organization:${organization_id}`,
    policy: createLimitPolicy({
      ...{ name: 'organization', who: 'The organization' },
      limit: limitOf(rate_limit_points ?? defaultLimit.points)
    })
  }
  if (key_rate_limit_points === null) return { organization, key: null }
  const policy = createLimitPolicy({
    ...{ name: 'key', who: 'The API key' },
    limit: limitOf(key_rate_limit_points)
  })
  return { organization, key: { key: `key:${key_id}`, policy } }
}

function quotaOf(items: number, granted: number, { from, state }: Taken): Quota {
  return {
    granted,
    headers: limitHeaders(from.policy, state),
    refusal: granted < items ? limitProblem(from.policy, state) : null
  }
}
