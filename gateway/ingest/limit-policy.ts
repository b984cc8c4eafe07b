/** Builds rate-limit policies: the headers and the 429 of each limit.
 *
 * The headers follow draft-ietf-httpapi-ratelimit-headers-11.
 */
import { Problem } from '../../core/problem.ts'
import type {
  RateLimit,
  RateLimiter,
  RateLimitState
} from '../../platform/rate-limit/rate-limiter.ts'

/** A policy is created once and used for many decisions, so its constant parts are precomputed. */
export interface LimitPolicy {
  readonly who: string
  readonly limit: RateLimit
  readonly policyHeader: string
  /** The start of the RateLimit header, up to the number of remaining points. */
  readonly stateHeader: string
  readonly detail: string
}

interface LimitPolicyOptions {
  readonly name: string
  /** Subject of the error detail, for example `The organization`. */
  readonly who: string
  readonly limit: RateLimit
}

export function createLimitPolicy({ name, who, limit }: LimitPolicyOptions): LimitPolicy {
  const { points, windowSeconds } = limit
  return {
    who,
    limit,
    policyHeader: `"${name}";q=${points};w=${windowSeconds}`,
    stateHeader: `"${name}";r=`,
    detail:
      `${who} may send ${points} decisions per ${windowSeconds} s. Retry after the delay in ` +
      '`Retry-After`.'
  }
}

export function limitHeaders(policy: LimitPolicy, state: RateLimitState): Record<string, string> {
  return {
    'ratelimit-policy': policy.policyHeader,
    ratelimit: `${policy.stateHeader}${state.remaining};t=${secondsUntil(state)}`
  }
}

/** Returns the 429 for an exhausted window. */
export function limitProblem(policy: LimitPolicy, state: RateLimitState): Problem {
  return new Problem('rate_limited', {
    detail: policy.detail,
    headers: { ...limitHeaders(policy, state), 'retry-after': String(secondsUntil(state)) }
  })
}

/** What a window granted. */
interface Grant {
  readonly key: string
  readonly limit: RateLimit
  readonly state: RateLimitState
}

/** Gives points back unless the next window has begun. */
export function giveBackTo(
  rateLimiter: RateLimiter,
  { key, limit, state }: Grant,
  points = state.granted
): void {
  const current = rateLimiter.peek(key, limit)
  const halfWindowMs = (limit.windowSeconds * 1000) / 2
  const isNewWindow = current.resetMs > state.resetMs + halfWindowMs
  if (!isNewWindow) rateLimiter.giveBack(key, limit, points)
}

/** Returns the 413 for more decisions than a window has points. */
export function neverFits({ who, limit }: LimitPolicy, items: number): Problem {
  const { points, windowSeconds } = limit
  return new Problem('payload_too_large', {
    detail:
      `${who} may send ${points} decisions per ${windowSeconds} s; the request has ${items}. ` +
      'Set a smaller batch size.',
    members: { limit_decisions: points }
  })
}

/**
 * Returns the whole seconds until the window ends, rounded up, because an earlier retry would be
 * rejected again.
 */
function secondsUntil(state: RateLimitState): number {
  return Math.max(1, Math.ceil(state.resetMs / 1000))
}
