/** Puts the parts that know API keys together, and stops them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../platform/process/clock.ts'
import type { Lifecycle } from '../platform/process/lifecycle.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import type { Postgres } from '../platform/postgres/postgres.ts'
import type { Redis } from '../platform/redis/redis.ts'
import { createApiKeys } from './api-keys.ts'
import type { FindApiKey } from './api-keys.ts'
import { hearKeyChanges } from './hear-key-changes.ts'
import { createTellKeyChange } from './tell-key-change.ts'
import { createKeyUsage } from './key-usage.ts'

export interface OpenApiKeysOptions {
  readonly postgres: Postgres
  /** A connection for this alone. */
  readonly redis: Redis
  /** Where changes are told to other gateways. */
  readonly publisher: Pick<Redis, 'publish'>
  readonly metrics: Metrics
  readonly lifecycle: Lifecycle
}

export interface OpenedApiKeys {
  readonly findApiKey: FindApiKey
  readonly noteUse: (keyId: string) => void
  readonly tellKeyChange: (keyId: string) => void
  /** Resolves when the first key can be read without a wait, or after two seconds. */
  readonly connected: () => Promise<void>
}

const flushEveryMs = 60_000
/** A stop does not wait for Postgres longer than this. */
const lastFlushMs = 1000
/** Nor does a start. */
const connectMs = 2000

export function openApiKeys(options: OpenApiKeysOptions): OpenedApiKeys {
  const { postgres, redis, publisher, metrics, lifecycle } = options
  const clock = systemClock
  const keys = createApiKeys({ postgres, metrics, clock })
  hearKeyChanges(redis, keys.forget)
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
    tellKeyChange: createTellKeyChange(publisher, keys.forget),
    connected: async () => {
      const asked = postgres.query('select 1').catch(() => {})
      await Promise.race([asked, sleep(connectMs, undefined, { ref: false })])
    }
  }
}
