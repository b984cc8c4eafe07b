/** A rate limit, and what a caller learns about it. */

export interface RateLimit {
  readonly points: number
  readonly windowSeconds: number
}

export interface RateLimitState {
  /** How many of the points asked for were given: from 0 to all of them. */
  readonly granted: number
  /** What is left after that; an estimate, since others take from the window too. */
  readonly remaining: number
  /** Milliseconds until the window starts anew. */
  readonly resetMs: number
}
