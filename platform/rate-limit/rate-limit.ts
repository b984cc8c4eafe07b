/** Rate limit: defines a limit and the state that callers receive. */

export interface RateLimit {
  readonly points: number
  readonly windowSeconds: number
}

export interface RateLimitState {
  /** Points granted, from 0 to the number requested. */
  readonly granted: number
  /** Estimate of the points left afterwards. Other instances use the same window. */
  readonly remaining: number
  /** Milliseconds until the next window. */
  readonly resetMs: number
}
