/** Opens the usage counters of a process, and flushes them periodically and at shutdown. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../platform/process/clock.ts'
import type { Lifecycle } from '../platform/process/lifecycle.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import type { Redis } from '../platform/redis/redis.ts'
import { droppedAs } from './usage-keys.ts'
import type { UsageCounters } from './usage.ts'
import { createFlushUsage } from './flush-usage.ts'
import { createUsageCounters } from './usage-counters.ts'
import { createReadUsage } from './read-usage.ts'
import type { ReadUsage } from './read-usage.ts'
import { createWriteUsage } from './write-usage.ts'

interface OpenUsageOptions {
  /** A separate connection, so that rate limits do not wait for usage counters. */
  readonly redis: Redis
  readonly metrics: Metrics
  readonly lifecycle: Lifecycle
  /** Problem codes and drop reasons that ingest counts. */
  readonly problems: readonly string[]
  readonly dropReasons: readonly string[]
}

interface OpenedUsage {
  readonly usage: UsageCounters
  readonly readUsage: ReadUsage
}

const flushEveryMs = 5000
/** Maximum time in milliseconds that shutdown waits for Redis. */
const lastFlushMs = 1000

export function openUsage(options: OpenUsageOptions): OpenedUsage {
  const { redis, metrics, lifecycle, problems, dropReasons } = options
  const counted = [...problems, ...dropReasons.map(droppedAs)]
  const clock = systemClock
  const counters = createUsageCounters({ metrics })
  const write = createWriteUsage(redis, randomUUID().slice(0, 8))
  const flush = createFlushUsage({ counters, write, clock, metrics })
  const timer = setInterval(() => void flush(), flushEveryMs)
  lifecycle.onStop('usage', async () => {
    clearInterval(timer)
    await Promise.race([flush().then(flush), sleep(lastFlushMs, undefined, { ref: false })])
    redis.disconnect()
  })
  return { usage: counters, readUsage: createReadUsage({ redis, clock, counted }) }
}
