/** Computes the pause before the next attempt, from the number of failures or a Retry-After header.
 */

export interface BackoffLimits {
  readonly retryBaseMs: number
  readonly retryCapMs: number
}

/**
 * Returns a random pause in milliseconds (full jitter). Its upper limit doubles with each failure,
 * up to `retryCapMs`.
 */
export function backoffMs(failures: number, limits: BackoffLimits, random: () => number): number {
  const { retryBaseMs, retryCapMs } = limits
  return random() * Math.min(retryCapMs, retryBaseMs * 2 ** (failures - 1))
}

const retryAfterMaxMs = 300_000
const wholeSeconds = /^\d+$/u

/**
 * Returns the milliseconds to wait from `now`, at most 300,000; 0 if the header is missing or
 * invalid. The header holds seconds or an HTTP date. `now` is Unix time in milliseconds.
 */
export function readRetryAfter(header: string | undefined, now: number): number {
  const text = header?.trim() ?? ''
  // Date.parse accepts many other formats, so require the day name at the start of an HTTP date.
  const isDate = /^[A-Z]/iu.test(text)
  const wait = wholeSeconds.test(text) ? Number(text) * 1000 : isDate ? Date.parse(text) - now : 0
  return wait > 0 ? Math.min(wait, retryAfterMaxMs) : 0
}
