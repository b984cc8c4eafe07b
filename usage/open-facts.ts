/** Puts the parts that know facts together, and stops them. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../platform/process/clock.ts'
import type { Lifecycle } from '../platform/process/lifecycle.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import type { Redis } from '../platform/redis/redis.ts'
import { droppedAs } from './fact-names.ts'
import type { Facts } from './facts.ts'
import { createFlushFacts } from './flush-facts.ts'
import { createNotedFacts } from './noted-facts.ts'
import { createReadFacts } from './read-facts.ts'
import type { ReadFacts } from './read-facts.ts'
import { createWriteFacts } from './write-facts.ts'

export interface OpenFactsOptions {
  /** A connection for this alone: nobody's limit waits behind it. */
  readonly redis: Redis
  readonly metrics: Metrics
  readonly lifecycle: Lifecycle
  /** The problem codes and drop reasons that ingest counts. */
  readonly problems: readonly string[]
  readonly dropReasons: readonly string[]
}

export interface OpenedFacts {
  readonly facts: Facts
  readonly readFacts: ReadFacts
}

const flushEveryMs = 5000
/** A stop does not wait for Redis longer than this. */
const lastFlushMs = 1000

export function openFacts(options: OpenFactsOptions): OpenedFacts {
  const { redis, metrics, lifecycle, problems, dropReasons } = options
  const counted = [...problems, ...dropReasons.map(droppedAs)]
  const clock = systemClock
  const noted = createNotedFacts({ metrics })
  const write = createWriteFacts(redis, randomUUID().slice(0, 8))
  const flush = createFlushFacts({ noted, write, clock, metrics })
  const timer = setInterval(() => void flush(), flushEveryMs)
  lifecycle.onStop('facts', async () => {
    clearInterval(timer)
    await Promise.race([flush().then(flush), sleep(lastFlushMs, undefined, { ref: false })])
    redis.disconnect()
  })
  return { facts: noted, readFacts: createReadFacts({ redis, clock, counted }) }
}
