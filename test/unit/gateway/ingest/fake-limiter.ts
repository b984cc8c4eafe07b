/** Provides a fake rate limiter that responds synchronously or, for slow keys, asynchronously. */
import type {
  RateLimit,
  RateLimiter,
  RateLimitState
} from '../../../../platform/rate-limit/rate-limiter.ts'

export class FakeLimiter implements RateLimiter {
  /** Points left in the window of each key. Keys that are not listed have their whole limit. */
  readonly left = new Map<string, number>()
  readonly limits = new Map<string, RateLimit>()
  readonly resetMs = new Map<string, number>()
  /** Keys whose result is a promise. */
  readonly slow = new Set<string>()
  /** Called while a caller waits for a slow key. */
  meanwhile: () => void = () => {}

  take(key: string, limit: RateLimit, points: number): RateLimitState | Promise<RateLimitState> {
    this.limits.set(key, limit)
    if (!this.slow.has(key)) return this.give(key, limit, points)
    return Promise.resolve().then(() => {
      this.meanwhile()
      return this.give(key, limit, points)
    })
  }

  peek(key: string, limit: RateLimit): RateLimitState {
    return this.give(key, limit, 0)
  }

  isSpent(key: string, limit: RateLimit): boolean {
    return this.peek(key, limit).remaining === 0
  }

  giveBack(key: string, limit: RateLimit, points: number): void {
    this.left.set(key, (this.left.get(key) ?? limit.points) + points)
  }

  private give(key: string, limit: RateLimit, points: number): RateLimitState {
    const left = this.left.get(key) ?? limit.points
    const granted = Math.min(points, left)
    this.left.set(key, left - granted)
    return { granted, remaining: left - granted, resetMs: this.resetMs.get(key) ?? 12_001 }
  }
}
