/** How long to wait before the next attempt: exponential, capped, with full jitter. */

export interface Backoff {
  readonly baseMs: number
  readonly capMs: number
  /** By which each wait may be longer than the one before; 2 when left out. */
  readonly factor?: number
}

/**
 * Milliseconds to wait after `attempt` failures (1 for the first).
 * Full jitter spreads a crowd of retrying clients evenly; `random` is in [0, 1).
 */
export function backoffMs(backoff: Backoff, attempt: number, random: number): number {
  const { baseMs, capMs, factor = 2 } = backoff
  const ceiling = Math.min(capMs, baseMs * factor ** Math.min(attempt - 1, 30))
  return Math.floor(ceiling * random)
}
