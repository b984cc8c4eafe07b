/** Tells gateways that an API key has changed: this one at once, the others on Redis. */
import { apiKeyChangesChannel } from '../core/ids/api-key.ts'
import type { Redis } from '../platform/redis/redis.ts'

/** Nobody waits for it: whoever does not hear of it finds out within five seconds. */
export function createTellKeyChange(
  redis: Pick<Redis, 'publish'>,
  forget: (keyId: string) => void
): (keyId: string) => void {
  return function tellKeyChange(keyId) {
    forget(keyId)
    redis.publish(apiKeyChangesChannel, keyId).catch(() => {})
  }
}
