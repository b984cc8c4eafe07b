/** Subscribes to API key changes on Redis. A lost message delays a change by a few seconds at most,
 * because every key in use is looked up again every few seconds.
 */
import { apiKeyChangesChannel } from '../core/ids/api-key.ts'
import type { Redis } from '../platform/redis/redis.ts'

/**
 * @param redis a dedicated connection, because a subscribed connection accepts no other commands
 */
export function subscribeKeyChanges(redis: Redis, onChange: (keyId: string) => void): void {
  redis.on('message', (_channel: string, keyId: string) => onChange(keyId))
  redis.on('ready', () => {
    // Reconnects if subscribing fails. The 'ready' event of the new connection subscribes again.
    redis.subscribe(apiKeyChangesChannel).catch(() => redis.disconnect(true))
  })
}
