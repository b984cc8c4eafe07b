/** Tells running gateways that a key has changed. */
import { apiKeyChangesChannel } from '../../core/ids/api-key.ts'
import { createRedis } from '../../platform/redis/redis.ts'

export interface RedisConfig {
  readonly REDIS_URL: string
  readonly REDIS_TLS_CA: string | null
}

export const notTold =
  'Redis does not answer, so gateways were not told; they find out within 5 seconds.'

const withinMs = 2000

/** @returns false when Redis cannot be reached: gateways then find out by themselves. */
export async function tellKeyChange(config: RedisConfig, keyId: string): Promise<boolean> {
  const redis = createRedis(config.REDIS_URL, config.REDIS_TLS_CA)
  try {
    await ready(redis)
    await redis.publish(apiKeyChangesChannel, keyId)
    return true
  } catch {
    return false
  } finally {
    redis.disconnect()
  }
}

async function ready(redis: ReturnType<typeof createRedis>): Promise<void> {
  const given = Promise.withResolvers<void>()
  const timer = setTimeout(() => given.reject(new Error('Redis does not answer')), withinMs)
  redis.once('ready', () => given.resolve())
  await given.promise.finally(() => clearTimeout(timer))
}
