/** Flushes usage counters to Redis every few seconds, outside the request path.
 *
 * While Redis is unavailable, the counters stay in memory as one batch per hour, up to a limit. A
 * batch is sent unchanged until Redis confirms it, so that it is counted once.
 */
import type { Clock } from '../core/clock.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import type { DrainedUsage } from './usage.ts'
import { hourOf } from './usage-keys.ts'
import type { DrainableUsageCounters } from './usage-counters.ts'
import type { UsageBatch, WriteUsage } from './write-usage.ts'

interface FlushUsageDependencies {
  readonly counters: Pick<DrainableUsageCounters, 'drain'>
  readonly write: WriteUsage
  readonly clock: Clock
  readonly metrics: Metrics
}

/** Flushes the counters. Never throws. Concurrent calls share one flush. */
type FlushUsage = () => Promise<void>

/**
 * Maximum number of waiting batches, one per hour. If it is exceeded, the oldest batch is dropped.
 */
export const batchesMax = 6

export function createFlushUsage(dependencies: FlushUsageDependencies): FlushUsage {
  const { counters, write, clock, metrics } = dependencies
  const batches: UsageBatch[] = []
  let sequence = 0
  let running: Promise<void> | null = null
  /** Hour of the current counters, in hours since 1970. */
  let hour = hourOf(clock.now())

  /** Drains the counters into a batch. While older batches wait, drains only once per hour. */
  function take(): void {
    const now = hourOf(clock.now())
    if (batches.length > 0 && now === hour) return
    const usage = counters.drain()
    if (!isEmpty(usage)) batches.push({ hour, sequence: (sequence += 1), usage })
    hour = now
    if (batches.length <= batchesMax) return
    batches.shift()
    metrics.count('sluice_usage_dropped_total', { kind: 'batch' })
  }

  async function writeAll(): Promise<void> {
    take()
    try {
      for (let [batch] = batches; batch !== undefined; [batch] = batches) {
        await write(batch)
        batches.shift()
        metrics.count('sluice_usage_flushes_total', { outcome: 'written' })
      }
    } catch {
      metrics.count('sluice_usage_flushes_total', { outcome: 'failed' })
    }
  }

  return function flushUsage() {
    running ??= writeAll().finally(() => {
      running = null
    })
    return running
  }
}

function isEmpty({ keys, organizations }: DrainedUsage): boolean {
  return keys.size === 0 && organizations.size === 0
}
