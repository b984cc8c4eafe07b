/** Measures the lag of a consumer group every five seconds, independently of its batches. */
import type { Logger } from '../platform/telemetry/logger.ts'
import { every } from '../platform/process/every.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'

export interface PartitionProgress {
  readonly partition: number
  /**
   * Committed offset of the group, or the beginning of the partition if the group has not committed
   * an offset.
   */
  readonly committed: bigint
  /** Offset after the last message. */
  readonly end: bigint
}

interface LagDependencies {
  readonly topic: string
  readonly readProgress: () => Promise<readonly PartitionProgress[]>
  readonly metrics: Metrics
  readonly logger: Logger
}

const everyMs = 5000

/**
 * Measures the lag of every partition of the topic, including those assigned to other members.
 * While Kafka is unavailable, the metric keeps its last value.
 * @returns a function that stops measuring and resolves when the current measurement has ended
 */
export function startLag(dependencies: LagDependencies): () => Promise<void> {
  const { topic, readProgress, metrics, logger } = dependencies

  async function measure(): Promise<void> {
    for (const { partition, committed, end } of await readProgress()) {
      const lag = end > committed ? Number(end - committed) : 0
      metrics.set('sluice_consumer_lag_messages', { topic, partition: String(partition) }, lag)
    }
  }

  const onError = (error: unknown) =>
    logger.debug({ topic, error: String(error) }, 'cannot measure the consumer lag')
  return every({ ms: everyMs, jitter: 0, onError }, measure).stop
}
