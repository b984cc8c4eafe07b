/** One-time values: stores values in Redis for a short time and returns each only once. */
import type { Redis } from './redis.ts'

export interface OneTimeValues {
  /** @throws if Redis is unavailable */
  put(key: string, value: string, seconds: number): Promise<void>
  /**
   * Returns the value and deletes it; null if it does not exist.
   * @throws if Redis is unavailable
   */
  take(key: string): Promise<string | null>
}

const prefix = 'sluice:once:'

export function createOneTimeValues(redis: Redis): OneTimeValues {
  return {
    put: async (key, value, seconds) => {
      await redis.set(prefix + key, value, 'EX', seconds)
    },
    take: (key) => redis.getdel(prefix + key)
  }
}
