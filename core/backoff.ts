/** Backoff: computes exponential delays with a cap and full jitter. */

export interface Backoff {
  readonly baseMs: number
  readonly capMs: number
  /** Factor by which the maximum delay grows with each failure. Default: 2. */
  readonly factor?: number
}

/**
 * Returns the delay in milliseconds before the next attempt. Full jitter spreads retrying clients
 * evenly.
 * @param attempt the number of failures so far, at least 1
 * @param random a number in [0, 1)
 */
export function backoffMs(backoff: Backoff, attempt: number, random: number): number {
  const { baseMs, capMs, factor = 2 } = backoff
  const ceiling = Math.min(capMs, baseMs * factor ** Math.min(attempt - 1, 30))
  return Math.floor(ceiling * random)
}
