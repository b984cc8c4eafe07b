/** Notifies gateways that an API key has changed: this one directly, the others through Redis. */
import { apiKeyChangesChannel } from '../core/ids/api-key.ts'
import type { Redis } from '../platform/redis/redis.ts'

/**
 * Creates a function that notifies without waiting for delivery. A gateway that misses the message
 * notices the change within five seconds.
 */
export function createNotifyKeyChange(
  redis: Pick<Redis, 'publish'>,
  forget: (keyId: string) => void
): (keyId: string) => void {
  return function notifyKeyChange(keyId) {
    forget(keyId)
    redis.publish(apiKeyChangesChannel, keyId).catch(() => {})
  }
}
