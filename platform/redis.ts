/** Redis, set so that its absence is noticed at once instead of queueing commands. */
import { Redis } from 'ioredis'

const connectTimeoutMs = 500
const commandTimeoutMs = 100
const reconnectPauseMsMax = 2000

/**
 * Commands fail within `commandTimeoutMs` when Redis is away or frozen; the caller has another way.
 */
export function createRedis(url: string): Redis {
  const redis = new Redis(url, {
    connectTimeout: connectTimeoutMs,
    commandTimeout: commandTimeoutMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(2 ** Math.min(attempt, 10) * 50, reconnectPauseMsMax)
  })
  // Every command that failed has told its caller; the event only repeats it.
  redis.on('error', () => {})
  return redis
}

export type { Redis }
