/** Measures how far the group is behind, whether or not it settles anything. */
import type { Logger } from '../platform/telemetry/logger.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'

export interface PartitionProgress {
  readonly partition: number
  /** The group's committed offset; where the partition begins when it never committed. */
  readonly committed: bigint
  /** Offset behind the last message. */
  readonly end: bigint
}

export interface LagDependencies {
  readonly topic: string
  readonly readProgress: () => Promise<readonly PartitionProgress[]>
  readonly metrics: Metrics
  readonly logger: Logger
}

const everyMs = 5000

/**
 * Begins to measure all partitions of the group, those of other members as well; returns what ends
 * it. While the log is away nobody knows the lag, and the last one stands.
 */
export function startLag(dependencies: LagDependencies): () => Promise<void> {
  const { topic, readProgress, metrics, logger } = dependencies
  let running: Promise<void> | null = null

  async function measure(): Promise<void> {
    try {
      for (const { partition, committed, end } of await readProgress()) {
        const lag = end > committed ? Number(end - committed) : 0
        const labels = { topic, partition: String(partition) }
        metrics.set('sluice_consumer_lag_messages', labels, lag)
      }
    } catch (error) {
      logger.debug({ topic, error: String(error) }, 'could not measure the lag')
    }
  }

  function tick(): void {
    running ??= measure().finally(() => void (running = null))
  }
  tick()
  const timer = setInterval(tick, everyMs)

  return async function stop() {
    clearInterval(timer)
    await running
  }
}
