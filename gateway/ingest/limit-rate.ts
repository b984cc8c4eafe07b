/** limit rate: takes decisions from the organization's window, or answers 429. */
import { Problem } from '../../core/problem.ts'
import type { RateLimit, RateLimiter, RateLimitState } from '../../platform/rate-limiter.ts'
import type { KeyPrincipal } from '../call.ts'

/** What a caller has left, as headers of draft-ietf-httpapi-ratelimit-headers-11. */
export interface Quota {
  /** So many of the items that were asked for. */
  readonly granted: number
  readonly headers: Readonly<Record<string, string>>
  /** What the items beyond are told; null when there are none. */
  readonly refusal: Problem | null
}

/** Takes as many of `items` as the limits leave. Never throws. */
export type LimitRate = (principal: KeyPrincipal, items: number) => Quota | Promise<Quota>

export interface LimitRateDependencies {
  readonly rateLimiter: RateLimiter
  readonly defaultLimit: RateLimit
}

export function createLimitRate(dependencies: LimitRateDependencies): LimitRate {
  const { rateLimiter, defaultLimit } = dependencies

  return async function limitRate(principal, points) {
    const limit = {
      points: principal.rate_limit_points ?? defaultLimit.points,
      windowSeconds: defaultLimit.windowSeconds
    }
    const state = await rateLimiter.consume(
      `organization:${principal.organization_id}`,
      limit,
      points
    )
    const headers = headersOf(limit, state)
    if (state.isAllowed) return { granted: points, headers, refusal: null }
    const refusal = new Problem('rate_limited', {
      detail: `The organization may send ${limit.points} decisions in ${limit.windowSeconds} s.`,
      headers: { ...headers, 'retry-after': String(secondsUntil(state)) }
    })
    return { granted: 0, headers, refusal }
  }
}

function headersOf(limit: RateLimit, state: RateLimitState): Record<string, string> {
  return {
    'ratelimit-policy': `"organization";q=${limit.points};w=${limit.windowSeconds}`,
    ratelimit: `"organization";r=${state.remaining};t=${secondsUntil(state)}`
  }
}

/** Whole seconds, rounded up: coming back a moment early would only be refused again. */
function secondsUntil(state: RateLimitState): number {
  return Math.max(1, Math.ceil(state.resetMs / 1000))
}
