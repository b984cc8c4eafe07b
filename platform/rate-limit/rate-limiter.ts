/** Fixed-window rate limiter: leases points of shared windows, or uses local windows without Redis.
 *
 *     take ─▶ Redis is unavailable ────▶ grants points of the local window now
 *          ├▶ lease covers the points ─▶ grants them now; if low, refills in the background
 *          ├▶ window is exhausted ─────▶ grants the rest of the lease now
 *          └▶ otherwise ───────────────▶ waits for a request to Redis, one at a time per key
 *
 * While callers wait for points of a key, later callers for the same key wait too, in order of
 * arrival.
 */
import { createCache } from '../process/cache.ts'
import {
  createLimitedKey,
  giveFromLease,
  giveLocally,
  isDecided,
  isSpentLocally,
  peek,
  putBackLocally
} from './limited-key.ts'
import type { LimitedKey } from './limited-key.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { RateLimit, RateLimitState } from './rate-limit.ts'
import { createWindowsHealth, createRefillLease } from './refill-lease.ts'
import type { WindowsHealth, RefillLease, HealthListener } from './refill-lease.ts'
import type { SharedWindows } from '../redis/shared-windows.ts'

export type { RateLimit, RateLimitState } from './rate-limit.ts'

export interface RateLimiter {
  /**
   * Takes up to `points` from the window of `key`. Never throws. Returns a promise only if the
   * caller must wait for Redis. With 0 points, it only reads the state.
   */
  take(key: string, limit: RateLimit, points: number): RateLimitState | Promise<RateLimitState>
  /** Returns the current state without taking points. */
  peek(key: string, limit: RateLimit): RateLimitState
  /**
   * Checks whether the window is known to be exhausted, so that a request can be rejected early.
   * Also rechecks an exhausted window in the background.
   */
  isSpent(key: string, limit: RateLimit): boolean
  /** Returns points that were taken in this window but not used. */
  giveBack(key: string, limit: RateLimit, points: number): void
}

interface RateLimiterOptions {
  readonly windows: SharedWindows
  readonly metrics: Pick<Metrics, 'count' | 'set'>
  /** Notified of each failed request to Redis, and when Redis is available again. */
  readonly listener?: HealthListener
  /** Returns milliseconds of a monotonic clock. */
  readonly now?: () => number
}

/**
 * Maximum number of keys. If it is exceeded, the least recently used key is dropped and its unspent
 * points expire.
 */
const keysMax = 20_000

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { windows, metrics, now = () => performance.now() } = options
  const keys = createCache<LimitedKey>(keysMax)
  const health = createWindowsHealth(metrics, options.listener)
  const refillLease = createRefillLease({ windows, health, metrics, now })
  const isKeySpent = createIsSpent(health, refillLease)

  /**
   * Returns the state of a key. A changed limit gets a separate lease, so that the points of one
   * limit are not spent under another.
   */
  function keyOf(name: string, limit: RateLimit, at: number): LimitedKey {
    const id = `${name} ${limit.points}/${limit.windowSeconds}`
    const known = keys.get(id)
    if (known !== undefined) return known
    const key = createLimitedKey(name, limit, at)
    keys.set(id, key)
    return key
  }

  function takeLocally(key: LimitedKey, points: number, at: number): RateLimitState {
    if (health.isRetryDue(at)) refillLease(key)
    return giveLocally(key, points, at)
  }

  function wait(key: LimitedKey, points: number): Promise<RateLimitState> {
    return new Promise((resolve) => {
      key.waiting.push({ points, resolve })
      refillLease(key)
    })
  }

  function peekAt(name: string, limit: RateLimit): RateLimitState {
    const at = now()
    return peek(keyOf(name, limit, at), health.isLocal, at)
  }

  return {
    peek: peekAt,

    take: (name, limit, points) => {
      if (points === 0) return peekAt(name, limit)
      const at = now()
      const key = keyOf(name, limit, at)
      if (health.isLocal) return takeLocally(key, points, at)
      if (key.waiting.length > 0 || !isDecided(key, points, at)) return wait(key, points)
      const state = giveFromLease(key, points, at)
      if (key.lease.isLow) refillLease(key)
      return state
    },

    isSpent: (name, limit) => isKeySpent(keyOf(name, limit, now()), now()),

    giveBack: (name, limit, points) => {
      const at = now()
      const key = keyOf(name, limit, at)
      if (health.isLocal) putBackLocally(key, points)
      else key.lease.putBack(points, at)
    }
  }
}

/**
 * Creates `isSpent`. Rejected requests take no points, so `isSpent` itself rechecks the window in
 * the background.
 */
function createIsSpent(health: WindowsHealth, refillLease: RefillLease) {
  return function isKeySpent(key: LimitedKey, at: number): boolean {
    if (health.isLocal) {
      if (health.isRetryDue(at)) refillLease(key)
      return isSpentLocally(key, at)
    }
    const isOver = key.lease.isUsedUp(at)
    if (isOver && !key.lease.isSpent(at)) refillLease(key, 1)
    return isOver
  }
}
