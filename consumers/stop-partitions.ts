/** Stops a partition that must not go on as it is, alone, and looks at it again. */
import type { Logger } from '../platform/telemetry/logger.ts'
import type { MessageBatch, MessageConsumer } from '../platform/kafka/message-consumer.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import { PartitionStop } from './partition-stop.ts'

export type ConsumeBatch = (batch: MessageBatch) => Promise<void>

export interface StopPartitionsDependencies {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly consumer: Pick<MessageConsumer, 'isAssigned'>
}

/** Until it is looked at again. */
const pauseMs = 10_000
/** A partition that stands still is told of so often. */
const remindMs = 300_000

interface Stopped {
  readonly topic: string
  readonly partition: number
  readonly toldAt: number
}

/** The same `consume`, where a PartitionStop settles what lies before it and pauses the rest. */
export function createStopPartitions(dependencies: StopPartitionsDependencies) {
  const { logger, metrics, consumer } = dependencies
  const stopped = new Map<string, Stopped>()
  // A partition that went to another member is that one's to stop, and may come back mended.
  metrics.onLook(() => {
    for (const [name, { topic, partition }] of stopped) {
      if (consumer.isAssigned(topic, partition)) continue
      stopped.delete(name)
      show(topic, partition, false)
    }
  })

  function show(topic: string, partition: number, isStopped: boolean): void {
    const labels = { topic, partition: String(partition) }
    metrics.set('sluice_consumer_stopped_partitions', labels, isStopped ? 1 : 0)
  }

  function goOn({ topic, partition }: MessageBatch): void {
    if (!stopped.delete(`${topic}/${partition}`)) return
    show(topic, partition, false)
    logger.info({ topic, partition }, 'the partition goes on')
  }

  function standStill(batch: MessageBatch, { message, offset, fields }: PartitionStop): void {
    const { topic, partition } = batch
    const name = `${topic}/${partition}`
    const now = performance.now()
    const toldAt = stopped.get(name)?.toldAt ?? -Infinity
    const isDue = now - toldAt >= remindMs
    stopped.set(name, { topic, partition, toldAt: isDue ? now : toldAt })
    show(topic, partition, true)
    if (isDue) logger.error({ topic, partition, offset: String(offset), ...fields }, message)
    batch.pauseFor(pauseMs)
  }

  return function stopPartitions(consume: ConsumeBatch): ConsumeBatch {
    return async function consumeOrStop(batch) {
      const stop = await consumeUpTo(batch, consume)
      if (batch.isOver()) return
      if (stop === null) goOn(batch)
      else standStill(batch, stop)
    }
  }
}

/** @returns what the rest of the batch is stopped by, or null when all of it is settled. */
async function consumeUpTo(
  batch: MessageBatch,
  consume: ConsumeBatch
): Promise<PartitionStop | null> {
  try {
    await consume(batch)
    return null
  } catch (error) {
    if (!(error instanceof PartitionStop)) throw error
    const earlier = batch.before(error.offset)
    const { length } = earlier.messages
    if (length === 0 || length === batch.messages.length) return error
    return (await consumeUpTo(earlier, consume)) ?? error
  }
}
