/** Limits the ingest rate: takes points from the windows of the organization and the API key, or
 * returns a 429.
 */
import type { Problem } from '../../core/problem.ts'
import { problems } from '../../core/problem.ts'
import type {
  RateLimit,
  RateLimiter,
  RateLimitState
} from '../../platform/rate-limit/rate-limiter.ts'
import type { KeyPrincipal } from '../../core/principal.ts'
import { createLimitPolicy, giveBackTo, limitHeaders, limitProblem } from './limit-policy.ts'
import { neverFits } from './limit-policy.ts'
import type { LimitPolicy } from './limit-policy.ts'

export interface Quota {
  /** Number of items within the limit. They count against it even if a later step rejects them. */
  readonly granted: number
  /** Headers of the limit with the fewest points left. */
  readonly headers: Readonly<Record<string, string>>
  /** The 429 for the items that did not fit, or null if all items fit. */
  readonly problem: Problem | null
}

/**
 * Takes one point per item. Returns a plain value instead of a promise if the leased points
 * suffice.
 */
export type LimitRate = (principal: KeyPrincipal, items: number) => Quota | Promise<Quota>

/**
 * Takes one point per item, or none if not all items fit.
 * @throws {Problem} 413 if they can never fit, 429 if they do not fit now
 */
export type LimitWhole = (principal: KeyPrincipal, items: number) => Promise<Quota>

/**
 * Returns the quota and the 429 of a caller whose window is known to be used up, otherwise null.
 * Takes no points and never waits.
 */
export type FindSpent = (principal: KeyPrincipal) => SpentQuota | null

interface SpentQuota extends Quota {
  readonly problem: Problem
}

/** Number of rejected bytes that cost one point. The cost is rounded up. */
export const rejectedBytesPerPoint = 64 * 1024

/**
 * Returns the cost of a rejection in points. A retryable rejection costs no more than an accepted
 * decision.
 */
export function pointsOfRejection({ code }: Problem, bytes: number): number {
  return problems[code].retryable ? 1 : Math.max(1, Math.ceil(bytes / rejectedBytesPerPoint))
}

interface LimitRateDependencies {
  readonly rateLimiter: RateLimiter
  /**
   * Limit of organizations that have no limit of their own. Its window length applies to all
   * organizations.
   */
  readonly defaultLimit: RateLimit
}

/** A limit, and the key of its window in the rate limiter. */
interface RateWindow {
  readonly key: string
  readonly policy: LimitPolicy
}

interface PrincipalWindows {
  readonly organization: RateWindow
  /** Null if the API key has no limit of its own. */
  readonly key: RateWindow | null
}

interface TakenPoints {
  readonly from: RateWindow
  readonly state: RateLimitState
}

export function createLimitRate({ rateLimiter, defaultLimit }: LimitRateDependencies) {
  // Keyed by the principal object, which is the same for all requests until its API key is looked
  // up again.
  const known = new WeakMap<KeyPrincipal, PrincipalWindows>()

  function windowsOf(principal: KeyPrincipal): PrincipalWindows {
    let windows = known.get(principal)
    if (windows === undefined) {
      windows = createPrincipalWindows(principal, defaultLimit)
      known.set(principal, windows)
    }
    return windows
  }

  /**
   * Takes as many points from the key's window as the organization's window granted. If the key's
   * window has fewer, gives the difference back to the organization's window.
   */
  function limitKey(items: number, organization: TakenPoints, from: RateWindow) {
    const state = rateLimiter.take(from.key, from.policy.limit, organization.state.granted)
    if (!(state instanceof Promise)) return settle(items, organization, { from, state })
    return state.then((late) => settle(items, organization, { from, state: late }))
  }

  function settle(items: number, organization: TakenPoints, key: TakenPoints): Quota {
    const { granted } = key.state
    const unused = organization.state.granted - granted
    if (unused > 0) giveBack(organization, unused)
    const isKeyTighter = unused > 0 || key.state.remaining < organization.state.remaining
    return quotaOf(items, granted, isKeyTighter ? key : organization)
  }

  function giveBack({ from, state }: TakenPoints, points: number): void {
    giveBackTo(rateLimiter, { key: from.key, limit: from.policy.limit, state }, points)
  }

  function limit(items: number, windows: PrincipalWindows, state: RateLimitState) {
    const organization = { from: windows.organization, state }
    if (windows.key !== null && state.granted > 0) return limitKey(items, organization, windows.key)
    return quotaOf(items, state.granted, organization)
  }

  const limitRate: LimitRate = (principal, items) => {
    const windows = windowsOf(principal)
    const { key, policy } = windows.organization
    const state = rateLimiter.take(key, policy.limit, items)
    if (!(state instanceof Promise)) return limit(items, windows, state)
    return state.then((late) => limit(items, windows, late))
  }

  const limitWhole: LimitWhole = async (principal, items) => {
    const { organization, key } = windowsOf(principal)
    const windows = key === null ? [organization] : [organization, key]
    for (const { policy } of windows) {
      if (items > policy.limit.points) throw neverFits(policy, items)
    }
    const quota = await limitRate(principal, items)
    if (quota.problem === null) return quota
    for (const from of windows) {
      rateLimiter.giveBack(from.key, from.policy.limit, quota.granted)
    }
    throw quota.problem
  }

  const findSpent: FindSpent = (principal) => {
    const { organization, key } = windowsOf(principal)
    return spentQuotaOf(rateLimiter, organization) ?? (key && spentQuotaOf(rateLimiter, key))
  }

  return { limitRate, limitWhole, findSpent }
}

function spentQuotaOf(rateLimiter: RateLimiter, { key, policy }: RateWindow): SpentQuota | null {
  if (!rateLimiter.isSpent(key, policy.limit)) return null
  const state = rateLimiter.peek(key, policy.limit)
  return { granted: 0, headers: limitHeaders(policy, state), problem: limitProblem(policy, state) }
}

function createPrincipalWindows(principal: KeyPrincipal, defaultLimit: RateLimit) {
  const { organization_id, rate_limit_points, key_id, key_rate_limit_points } = principal
  const { windowSeconds } = defaultLimit
  const limitOf = (points: number): RateLimit => ({ points, windowSeconds })
  const organization = {
    key: `organization:${organization_id}`,
    policy: createLimitPolicy({
      name: 'organization',
      who: 'The organization',
      limit: limitOf(rate_limit_points ?? defaultLimit.points)
    })
  }
  if (key_rate_limit_points === null) return { organization, key: null }
  const policy = createLimitPolicy({
    name: 'key',
    who: 'The API key',
    limit: limitOf(key_rate_limit_points)
  })
  return { organization, key: { key: `key:${key_id}`, policy } }
}

function quotaOf(items: number, granted: number, { from, state }: TakenPoints): Quota {
  return {
    granted,
    headers: limitHeaders(from.policy, state),
    problem: granted < items ? limitProblem(from.policy, state) : null
  }
}
