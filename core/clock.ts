/** The clock everything asks, so that a test can own the time. */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
}
