/** Values that are kept for a short while in Redis and taken once. */
import type { Redis } from './redis.ts'

export interface OneTimeValues {
  /** @throws when Redis cannot be asked. */
  put(key: string, value: string, seconds: number): Promise<void>
  /** Nobody gets it a second time; null when it is not there. @throws as above. */
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
