/** Fixed windows of points in Redis, which all instances share. */
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimit, RateLimitState } from '../rate-limit/rate-limit.ts'
import type { Redis } from './redis.ts'

export interface SharedWindows {
  /**
   * Takes what fits of `points`, in one step that nobody else can see half done.
   * @throws when Redis does not answer in time, or cannot be asked.
   */
  take(key: string, limit: RateLimit, points: number): Promise<RateLimitState>
}

const keyPrefix = 'sluice:rate'
/** Limits are few: the default one and those that organizations and keys have of their own. */
const limitersMax = 1000
/** With the turn of the event loop after it, callers have another answer within 100 ms. */
const answerWithinDefaultMs = 75

/**
 * In place of the library's own script, which adds points even when it refuses them: giving those
 * back takes a second request, and until it has come others are refused for nothing. This one adds
 * what fits. Its answer is what the library expects, the sum as if all had been added, and from
 * that sum follows how many were.
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
      ...{ keyPrefix, points, duration },
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

/** The library rejects with a result when the limit is reached, and with an error otherwise. */
async function resultOf(answer: Promise<RateLimiterRes>): Promise<RateLimiterRes> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof RateLimiterRes) return error
    throw error
  }
}

/**
 * A process that was busy finds the timer due and the answer unread. So the timer gives it one more
 * turn of the event loop, in which sockets are read: a busy gateway is no reason to leave Redis.
 */
function inTime<T>(answer: Promise<T>, answerWithinMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error(`Redis did not answer in ${answerWithinMs} ms`))
    const timer = setTimeout(() => setImmediate(giveUp), answerWithinMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
