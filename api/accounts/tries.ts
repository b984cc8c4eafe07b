/** Takes tries of several limits together, and gives them back. */
import { createHash } from 'node:crypto'
import { Problem } from '../../core/problem.ts'
import type { RateLimit, RateLimiter } from '../../platform/rate-limit/rate-limiter.ts'

/** `why` is for the detail of the refusal. */
export type Take = readonly [key: string, limit: RateLimit, why?: string]

export interface Tries {
  /** Takes one. @returns 0, or the milliseconds until the window ends that has no try left */
  waitMsOf(take: Take): Promise<number>
  /**
   * In their order; what is refused has used up nothing.
   * @throws {Problem} 429 with Retry-After
   */
  take(...takes: readonly Take[]): Promise<void>
  /** Gives back what was taken unless `check` returns false or null: a wrong password. */
  countWrong<T>(taken: readonly Take[], check: () => Promise<T>): Promise<T>
}

export function createTries(rateLimiter: Pick<RateLimiter, 'take' | 'giveBack'>): Tries {
  async function waitMsOf([key, limit]: Take): Promise<number> {
    const { granted, resetMs } = await rateLimiter.take(key, limit, 1)
    return granted < 1 ? Math.max(1, resetMs) : 0
  }

  function giveBack(taken: readonly Take[]): void {
    for (const [key, limit] of taken) rateLimiter.giveBack(key, limit, 1)
  }

  async function take(...takes: readonly Take[]): Promise<void> {
    for (const [index, each] of takes.entries()) {
      const waitMs = await waitMsOf(each)
      if (waitMs === 0) continue
      giveBack(takes.slice(0, index))
      throw throttled(waitMs, each[2])
    }
  }

  async function countWrong<T>(taken: readonly Take[], check: () => Promise<T>): Promise<T> {
    let isWrong = false
    try {
      const checked = await check()
      isWrong = checked === null || checked === false
      return checked
    } finally {
      if (!isWrong) giveBack(taken)
    }
  }

  return { waitMsOf, take, countWrong }
}

const usualWhy = 'Too many attempts for this account or from this address'

export function throttled(waitMs: number, why = usualWhy): Problem {
  const seconds = Math.ceil(waitMs / 1000)
  return new Problem('login_throttled', {
    detail: `${why}; try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) }
  })
}

/** For keys: no list of email addresses and no token lies in Redis. */
export function hashedName(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
