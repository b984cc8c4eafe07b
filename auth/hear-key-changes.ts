/** Hears on Redis which API keys have changed. A message that gets lost costs seconds, not safety:
 *  every key is looked up again every few seconds. */
import { apiKeyChangesChannel } from '../core/ids/api-key.ts'
import type { Redis } from '../platform/redis/redis.ts'

/** `redis` is a connection for this alone, since one that listens can do nothing else. */
export function hearKeyChanges(redis: Redis, onChange: (keyId: string) => void): void {
  redis.on('message', (_channel: string, keyId: string) => onChange(keyId))
  redis.on('ready', () => {
    // When it fails, the connection is about to close, and another one begins anew.
    redis.subscribe(apiKeyChangesChannel).catch(() => redis.disconnect(true))
  })
}
