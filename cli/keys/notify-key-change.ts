/** Notifies running gateways that an API key has changed. */
import { apiKeyChangesChannel } from '../../core/ids/api-key.ts'
import { createRedis } from '../../platform/redis/redis.ts'

interface RedisConfig {
  readonly REDIS_URL: string
  readonly REDIS_TLS_CA: string | null
}

export const notNotified =
  'Redis is not reachable, so the gateways were not notified; they notice the change within ' +
  '5 seconds.'

const withinMs = 2000

/**
 * @returns false if Redis is not reachable; in that case, the gateways notice the change within
 * 5 seconds
 */
export async function notifyKeyChange(config: RedisConfig, keyId: string): Promise<boolean> {
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
  const connected = Promise.withResolvers<void>()
  const timer = setTimeout(() => connected.reject(new Error('Redis did not answer')), withinMs)
  redis.once('ready', () => connected.resolve())
  await connected.promise.finally(() => clearTimeout(timer))
}
