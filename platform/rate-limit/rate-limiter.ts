/** Rate limits in fixed windows: shared through leases, and local while Redis does not answer.
 *
 *     take ─▶ the lease covers it ──────▶ given at once; low: more is fetched in the background
 *          ├▶ the window is spent ──────▶ what is left of the lease, at once
 *          ├▶ Redis does not answer ────▶ given from a window of this instance, at once
 *          └▶ otherwise ────────────────▶ waits for the one running request of the key
 */
import { createCache } from '../process/cache.ts'
import {
  createLimitedKey,
  giveFromLease,
  giveLocally,
  isDecided,
  isSpentLocally,
  look,
  putBackLocally
} from './limited-key.ts'
import { isSpent, isUsedUp, putBack } from './lease.ts'
import type { LimitedKey } from './limited-key.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { RateLimit, RateLimitState } from './rate-limit.ts'
import { createReach, createRefillLease } from './refill-lease.ts'
import type { Reach, RefillLease, TellReach } from './refill-lease.ts'
import type { SharedWindows } from '../redis/shared-windows.ts'

export type { RateLimit, RateLimitState } from './rate-limit.ts'

export interface RateLimiter {
  /**
   * Takes up to `points` of `key`'s window; never throws. Answers at once (no promise) while the
   * lease covers it; to take nothing is to look.
   */
  take(key: string, limit: RateLimit, points: number): RateLimitState | Promise<RateLimitState>
  /** How things stand, with nothing taken. */
  look(key: string, limit: RateLimit): RateLimitState
  /**
   * Whether the window is known to have nothing left, so that it is not worth to begin anything.
   * Once a second that is asked again, in the background.
   */
  isSpent(key: string, limit: RateLimit): boolean
  /** Gives back what was taken in this window and not used. */
  giveBack(key: string, limit: RateLimit, points: number): void
}

export interface RateLimiterOptions {
  readonly windows: SharedWindows
  readonly metrics: Pick<Metrics, 'count' | 'set'>
  /** Hears when the windows stop to answer, and when they answer again. */
  readonly tell?: TellReach
  /** Milliseconds of a clock that never jumps. */
  readonly now?: () => number
}

/** Beyond them the key used longest ago is forgotten, and what is left of its lease unused. */
const keysMax = 20_000

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { windows, metrics, now = () => performance.now() } = options
  const keys = createCache<LimitedKey>(keysMax)
  const reach = createReach(metrics, options.tell)
  const refillLease = createRefillLease({ windows, reach, metrics, now })
  const isKeySpent = createIsSpent(reach, refillLease)

  /** A limit that changes is another lease, so that neither is spent under the other's rules. */
  function keyOf(name: string, limit: RateLimit, at: number): LimitedKey {
    const id = `${name} ${limit.points}/${limit.windowSeconds}`
    const known = keys.get(id)
    if (known !== undefined) return known
    const key = createLimitedKey(name, limit, at)
    keys.set(id, key)
    return key
  }

  function takeLocally(key: LimitedKey, points: number, at: number): RateLimitState {
    if (reach.isTimeToAsk(at)) refillLease(key)
    return giveLocally(key, points, at)
  }

  function wait(key: LimitedKey, points: number): Promise<RateLimitState> {
    return new Promise((resolve) => {
      key.waiting.push({ points, resolve })
      refillLease(key)
    })
  }

  function lookAt(name: string, limit: RateLimit): RateLimitState {
    const at = now()
    return look(keyOf(name, limit, at), reach.isLocal, at)
  }

  return {
    look: lookAt,

    take: (name, limit, points) => {
      if (points === 0) return lookAt(name, limit)
      const at = now()
      const key = keyOf(name, limit, at)
      if (reach.isLocal) return takeLocally(key, points, at)
      if (key.waiting.length > 0 || !isDecided(key, points, at)) return wait(key, points)
      const state = giveFromLease(key, points, at)
      if (key.lease.available <= key.lease.low) refillLease(key)
      return state
    },

    isSpent: (name, limit) => isKeySpent(keyOf(name, limit, now()), now()),

    giveBack: (name, limit, points) => {
      const at = now()
      const key = keyOf(name, limit, at)
      if (reach.isLocal) putBackLocally(key, points)
      else putBack(key.lease, points, at)
    }
  }
}

/** Whoever asks may be refused for the answer, so the windows are asked again in the background. */
function createIsSpent(reach: Reach, refillLease: RefillLease) {
  return function isKeySpent(key: LimitedKey, at: number): boolean {
    if (reach.isLocal) {
      if (reach.isTimeToAsk(at)) refillLease(key)
      return isSpentLocally(key, at)
    }
    const isOver = isUsedUp(key.lease, at)
    if (isOver && !isSpent(key.lease, at)) refillLease(key, 1)
    return isOver
  }
}
