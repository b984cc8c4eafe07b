/** Fakes the shared rate-limit windows in memory. A contract test checks that they count like the
 * windows in Redis.
 */
import type { RateLimit, RateLimitState } from '../../platform/rate-limit/rate-limit.ts'
import type { SharedWindows } from '../../platform/redis/shared-windows.ts'

export interface FakeWindow {
  taken: number
  readonly endsAt: number
}

export class FakeWindows implements SharedWindows {
  /** Current window by key. */
  readonly open = new Map<string, FakeWindow>()
  readonly now: () => number
  failure: Error | null = null
  requests = 0

  constructor(now: () => number = () => performance.now()) {
    this.now = now
  }

  async take(key: string, limit: RateLimit, points: number): Promise<RateLimitState> {
    this.requests += 1
    if (this.failure !== null) throw this.failure
    return this.carryOut(key, limit, points)
  }

  carryOut(key: string, limit: RateLimit, points: number): RateLimitState {
    const window = this.windowOf(key, limit)
    const granted = Math.max(0, Math.min(points, limit.points - window.taken))
    window.taken += granted
    const remaining = Math.max(0, limit.points - window.taken)
    return { granted, remaining, resetMs: window.endsAt - this.now() }
  }

  windowOf(key: string, { windowSeconds }: RateLimit): FakeWindow {
    const known = this.open.get(key)
    if (known !== undefined && this.now() < known.endsAt) return known
    const window = { taken: 0, endsAt: this.now() + windowSeconds * 1000 }
    this.open.set(key, window)
    return window
  }
}
