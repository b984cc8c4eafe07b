/** A limit by its name, and what callers are told of it in headers.
 *
 * The headers are those of draft-ietf-httpapi-ratelimit-headers-11.
 */
import { Problem } from '../../core/problem.ts'
import type { RateLimit, RateLimitState } from '../../platform/rate-limit/rate-limiter.ts'

/** Made once and used for many decisions, so whatever does not change is ready in it. */
export interface LimitPolicy {
  readonly limit: RateLimit
  readonly policyHeader: string
  /** The header RateLimit as far as the number of what is left. */
  readonly stateHeader: string
  readonly detail: string
}

export interface LimitPolicyOptions {
  readonly name: string
  /** Who is limited, in a sentence. */
  readonly who: string
  readonly limit: RateLimit
}

export function createLimitPolicy({ name, who, limit }: LimitPolicyOptions): LimitPolicy {
  const { points, windowSeconds } = limit
  return {
    limit,
    policyHeader: `"${name}";q=${points};w=${windowSeconds}`,
    stateHeader: `"${name}";r=`,
    detail: `${who} may send ${points} decisions in ${windowSeconds} s.`
  }
}

export function limitHeaders(policy: LimitPolicy, state: RateLimitState): Record<string, string> {
  return {
    'ratelimit-policy': policy.policyHeader,
    ratelimit: `${policy.stateHeader}${state.remaining};t=${secondsUntil(state)}`
  }
}

/** 429 for what the window did not have. */
export function limitProblem(policy: LimitPolicy, state: RateLimitState): Problem {
  return new Problem('rate_limited', {
    detail: policy.detail,
    headers: { ...limitHeaders(policy, state), 'retry-after': String(secondsUntil(state)) }
  })
}

/** Whole seconds, rounded up: coming back a moment early would only be refused again. */
function secondsUntil(state: RateLimitState): number {
  return Math.max(1, Math.ceil(state.resetMs / 1000))
}
