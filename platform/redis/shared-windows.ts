/** Shared windows: counts points in fixed windows in Redis, for all instances together. */
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimit, RateLimitState } from '../rate-limit/rate-limit.ts'
import type { Redis } from './redis.ts'

export interface SharedWindows {
  /**
   * Takes up to `points` atomically.
   * @throws if Redis is unavailable or does not respond in time
   */
  take(key: string, limit: RateLimit, points: number): Promise<RateLimitState>
}

const keyPrefix = 'sluice:rate'
/**
 * Maximum number of cached limits. There are few limits: the default, and the limits of individual
 * organizations and keys.
 */
const limitersMax = 1000
/**
 * Default timeout. It leaves time for one more short iteration of the event loop, so that callers
 * usually get a fallback within 100 ms.
 */
const answerWithinDefaultMs = 75

/**
 * Replaces the library's script, which adds points even if it rejects them. Returning them would
 * take a second request, and other callers would be rejected in the meantime. This script adds only
 * the points that fit. Like the library's script, it returns the sum as if all points had been
 * added; the caller computes the granted points from that sum.
 */
const takeWhatFits = `
redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local asked = tonumber(ARGV[1])
local taken = tonumber(redis.call('get', KEYS[1]))
local ttl = redis.call('pttl', KEYS[1])
if ttl == -1 then
  redis.call('expire', KEYS[1], ARGV[2])
  ttl = 1000 * ARGV[2]
end
local fits = math.max(0, math.min(asked, tonumber(ARGV[3]) - taken))
if fits > 0 then redis.call('incrby', KEYS[1], fits) end
return { taken + asked, ttl }
`

export function createSharedWindows(
  redis: Redis,
  answerWithinMs = answerWithinDefaultMs
): SharedWindows {
  const limiters = new Map<string, RateLimiterRedis>()

  function limiterOf({ points, windowSeconds: duration }: RateLimit): RateLimiterRedis {
    const name = `${points}/${duration}`
    const known = limiters.get(name)
    if (known !== undefined) return known
    if (limiters.size >= limitersMax) limiters.clear()
    const limiter = new RateLimiterRedis({
      storeClient: redis,
      keyPrefix,
      points,
      duration,
      customIncrTtlLuaScript: takeWhatFits,
      rejectIfRedisNotReady: true
    })
    limiters.set(name, limiter)
    return limiter
  }

  return {
    take: async (key, limit, points) => {
      const answer = resultOf(limiterOf(limit).consume(key, points))
      const { consumedPoints, msBeforeNext } = await inTime(answer, answerWithinMs)
      const left = Math.max(0, limit.points - (consumedPoints - points))
      const granted = Math.min(points, left)
      return { granted, remaining: left - granted, resetMs: Math.max(0, msBeforeNext) }
    }
  }
}

/**
 * Returns the result. If the limit is reached, the library rejects with a result instead of an
 * error.
 */
async function resultOf(answer: Promise<RateLimiterRes>): Promise<RateLimiterRes> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof RateLimiterRes) return error
    throw error
  }
}

/**
 * Rejects if no response arrives in time. In a busy process, the timer can fire while the response
 * is still unread in the socket. The timer therefore waits for one more iteration of the event
 * loop, which reads the sockets, so that a busy gateway does not use its fallback needlessly.
 */
function inTime<T>(answer: Promise<T>, answerWithinMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void =>
      reject(new Error(`Redis did not respond within ${answerWithinMs} ms`))
    const timer = setTimeout(() => setImmediate(giveUp), answerWithinMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
