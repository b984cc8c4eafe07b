/** Fixed-window rate limits on Redis; while it is away each instance applies the whole limit alone.
 */
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Redis } from './redis.ts'

export interface RateLimit {
  readonly points: number
  readonly windowSeconds: number
}

export interface RateLimitState {
  readonly isAllowed: boolean
  readonly remaining: number
  /** Milliseconds until the window starts anew. */
  readonly resetMs: number
}

export interface RateLimiter {
  /** Takes `points` of `key`'s window. Never throws: without Redis the answer is a local one. */
  consume(key: string, limit: RateLimit, points: number): Promise<RateLimitState>
}

export interface RateLimiterOptions {
  readonly redis: Redis
  /** Called with true when Redis stops answering and with false when it answers again. */
  readonly onLocal: (isLocal: boolean) => void
}

const keyPrefix = 'sluice:rate'
/** Limits are few: the default one and those that organizations were given of their own. */
const limitersMax = 1000
/**
 * How long Redis is left alone after it failed, so that a frozen one costs no caller 100 ms each.
 */
const localForMs = 1000

interface LimiterPair {
  readonly shared: RateLimiterRedis
  readonly local: RateLimiterMemory
}

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const pairs = new Map<string, LimiterPair>()
  let localUntil = 0

  function pairOf(limit: RateLimit): LimiterPair {
    const name = `${limit.points}/${limit.windowSeconds}`
    const known = pairs.get(name)
    if (known !== undefined) return known
    if (pairs.size >= limitersMax) pairs.clear()
    const pair = createPair(options.redis, limit)
    pairs.set(name, pair)
    return pair
  }

  async function consumeShared(pair: LimiterPair, key: string, points: number) {
    try {
      const state = await answerOf(pair.shared.consume(key, points))
      if (localUntil > 0) options.onLocal(false)
      localUntil = 0
      return state
    } catch {
      localUntil = performance.now() + localForMs
      options.onLocal(true)
      return null
    }
  }

  return {
    consume: async (key, limit, points) => {
      const pair = pairOf(limit)
      const isLocal = performance.now() < localUntil
      const shared = isLocal ? null : await consumeShared(pair, key, points)
      return shared ?? answerOf(pair.local.consume(key, points))
    }
  }
}

function createPair(redis: Redis, limit: RateLimit): LimiterPair {
  const { points, windowSeconds: duration } = limit
  return {
    shared: new RateLimiterRedis({
      storeClient: redis,
      keyPrefix,
      points,
      duration,
      rejectIfRedisNotReady: true
    }),
    local: new RateLimiterMemory({ keyPrefix, points, duration })
  }
}

/**
 * The library rejects with a result when the limit is reached and with an error when it cannot
 * tell.
 */
async function answerOf(answer: Promise<RateLimiterRes>): Promise<RateLimitState> {
  try {
    return stateOf(await answer, true)
  } catch (error) {
    if (error instanceof RateLimiterRes) return stateOf(error, false)
    throw error
  }
}

function stateOf(result: RateLimiterRes, isAllowed: boolean): RateLimitState {
  const { remainingPoints, msBeforeNext } = result
  return { isAllowed, remaining: Math.max(0, remainingPoints), resetMs: Math.max(0, msBeforeNext) }
}
