/** Pauses a partition that cannot be consumed, and retries it later. Other partitions continue. */
import type { Logger } from '../platform/telemetry/logger.ts'
import type { MessageBatch, MessageConsumer } from '../platform/kafka/message-consumer.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import { PartitionPause } from './partition-pause.ts'

export type ConsumeBatch = (batch: MessageBatch) => Promise<void>

interface PausePartitionsDependencies {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly consumer: Pick<MessageConsumer, 'isAssigned'>
}

/** Delay before a paused partition is retried. */
const pauseMs = 10_000
/** Minimum interval between log messages about a paused partition. */
const logEveryMs = 300_000

interface PausedPartition {
  readonly topic: string
  readonly partition: number
  readonly loggedAt: number
}

/**
 * Creates a wrapper for `consume`. On a PartitionPause, the wrapper settles the messages before the
 * offset of the pause, then pauses the partition.
 */
export function createPausePartitions(dependencies: PausePartitionsDependencies) {
  const { logger, metrics, consumer } = dependencies
  const paused = new Map<string, PausedPartition>()
  // Forgets partitions that are no longer assigned to this member.
  metrics.onCollect(() => {
    for (const [name, { topic, partition }] of paused) {
      if (consumer.isAssigned(topic, partition)) continue
      paused.delete(name)
      show(topic, partition, false)
    }
  })

  function show(topic: string, partition: number, isPaused: boolean): void {
    const labels = { topic, partition: String(partition) }
    metrics.set('sluice_consumer_paused_partitions', labels, isPaused ? 1 : 0)
  }

  function resume({ topic, partition }: MessageBatch): void {
    if (!paused.delete(`${topic}/${partition}`)) return
    show(topic, partition, false)
    logger.info({ topic, partition }, 'partition resumed')
  }

  function pause(batch: MessageBatch, { message, offset, fields }: PartitionPause): void {
    const { topic, partition } = batch
    const name = `${topic}/${partition}`
    const now = performance.now()
    const loggedAt = paused.get(name)?.loggedAt ?? -Infinity
    const isDue = now - loggedAt >= logEveryMs
    paused.set(name, { topic, partition, loggedAt: isDue ? now : loggedAt })
    show(topic, partition, true)
    if (isDue) logger.error({ topic, partition, offset: String(offset), ...fields }, message)
    batch.pauseFor(pauseMs)
  }

  return function pausePartitions(consume: ConsumeBatch): ConsumeBatch {
    return async function consumeOrPause(batch) {
      const cause = await consumeUpTo(batch, consume)
      if (batch.isOver()) return
      if (cause === null) resume(batch)
      else pause(batch, cause)
    }
  }
}

/**
 * Consumes the batch up to a pause.
 * @returns the pause, or null if the whole batch is settled
 */
async function consumeUpTo(
  batch: MessageBatch,
  consume: ConsumeBatch
): Promise<PartitionPause | null> {
  try {
    await consume(batch)
    return null
  } catch (error) {
    if (!(error instanceof PartitionPause)) throw error
    const earlier = batch.before(error.offset)
    const { length } = earlier.messages
    if (length === 0 || length === batch.messages.length) return error
    return (await consumeUpTo(earlier, consume)) ?? error
  }
}
