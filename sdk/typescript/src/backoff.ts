/** How long to wait before the next attempt. */

export interface BackoffLimits {
  readonly retryBaseMs: number
  readonly retryCapMs: number
}

/** Full jitter: anything from 0 to a limit that doubles with each failure up to the cap. */
export function backoffMs(failures: number, limits: BackoffLimits, random: () => number): number {
  const { retryBaseMs, retryCapMs } = limits
  return random() * Math.min(retryCapMs, retryBaseMs * 2 ** (failures - 1))
}

const retryAfterMaxMs = 300_000
const wholeSeconds = /^\d+$/u

/** What a Retry-After asks for, 0 when it cannot be read; `now` is in milliseconds since 1970. */
export function readRetryAfter(header: string | undefined, now: number): number {
  const text = header?.trim() ?? ''
  // Dates begin with the name of a day; Date.parse would take much else for one.
  const isDate = /^[A-Z]/iu.test(text)
  const wait = wholeSeconds.test(text) ? Number(text) * 1000 : isDate ? Date.parse(text) - now : 0
  return wait > 0 ? Math.min(wait, retryAfterMaxMs) : 0
}
