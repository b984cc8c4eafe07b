/** Opens API key lookup for a process and closes it on shutdown. */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../platform/process/clock.ts'
import type { Lifecycle } from '../platform/process/lifecycle.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import type { Postgres } from '../platform/postgres/postgres.ts'
import type { Redis } from '../platform/redis/redis.ts'
import { createApiKeys } from './api-keys.ts'
import type { FindApiKey } from './api-keys.ts'
import { subscribeKeyChanges } from './subscribe-key-changes.ts'
import { createNotifyKeyChange } from './notify-key-change.ts'
import { createKeyUsage } from './key-usage.ts'

interface OpenApiKeysOptions {
  readonly postgres: Postgres
  /** A dedicated connection for the subscription. */
  readonly redis: Redis
  /** Publishes key changes to other gateways. */
  readonly publisher: Pick<Redis, 'publish'>
  readonly metrics: Metrics
  readonly lifecycle: Lifecycle
}

interface OpenedApiKeys {
  readonly findApiKey: FindApiKey
  readonly noteUse: (keyId: string) => void
  readonly notifyKeyChange: (keyId: string) => void
  /** Resolves when Postgres has answered or failed, or after two seconds. */
  readonly connected: () => Promise<void>
}

const flushEveryMs = 60_000
/** Maximum time in milliseconds that shutdown waits for the last flush. */
const lastFlushMs = 1000
/** Maximum time in milliseconds that startup waits for Postgres. */
const connectMs = 2000

export function openApiKeys(options: OpenApiKeysOptions): OpenedApiKeys {
  const { postgres, redis, publisher, metrics, lifecycle } = options
  const clock = systemClock
  const keys = createApiKeys({ postgres, metrics, clock })
  subscribeKeyChanges(redis, keys.forget)
  lifecycle.onStop('key changes', () => Promise.resolve(redis.disconnect()))
  const usage = createKeyUsage({ postgres, clock })
  const timer = setInterval(() => void usage.flush(), flushEveryMs)
  lifecycle.onStop('key usage', async () => {
    clearInterval(timer)
    await Promise.race([usage.flush(), sleep(lastFlushMs, undefined, { ref: false })])
  })
  return {
    findApiKey: keys.find,
    noteUse: usage.note,
    notifyKeyChange: createNotifyKeyChange(publisher, keys.forget),
    connected: async () => {
      const query = postgres.query('select 1').catch(() => {})
      await Promise.race([query, sleep(connectMs, undefined, { ref: false })])
    }
  }
}
