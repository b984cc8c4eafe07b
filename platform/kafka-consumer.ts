/** Consumer groups on kafkajs: offsets are committed by hand, behind what was settled. */
import type { Consumer, EachBatchPayload, KafkaMessage } from 'kafkajs'
import type { Message, MessageBatch, MessageConsumer } from './message-consumer.ts'

export interface KafkaConsumerOptions {
  readonly consumer: Consumer
  /** Partitions worked on at a time. */
  readonly partitionsMax: number
  /** Called when the consumer died for good: kafkajs leaves it lying, so the process has to end. */
  readonly onCrash: (error: Error) => void
}

export function createKafkaConsumer(options: KafkaConsumerOptions): MessageConsumer {
  const { consumer, partitionsMax, onCrash } = options
  let joined = false
  consumer.on('consumer.group_join', () => void (joined = true))
  consumer.on('consumer.rebalancing', () => void (joined = false))
  consumer.on('consumer.crash', ({ payload }) => {
    joined = false
    // After what passes (a coordinator that still loads, a broker away) kafkajs begins anew.
    if (!payload.restart) onCrash(payload.error)
  })

  return {
    run: async (topics, consume) => {
      await consumer.connect()
      // A new group begins at the beginning: "latest" would skip what is there already.
      await consumer.subscribe({ topics: [...topics], fromBeginning: true })
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: partitionsMax,
        eachBatch: (payload) => consume(batchOf(consumer, payload))
      })
    },
    isJoined: () => joined,
    stop: () => consumer.disconnect()
  }
}

function batchOf(consumer: Consumer, payload: EachBatchPayload): MessageBatch {
  const { topic, partition, messages, highWatermark } = payload.batch
  return {
    topic,
    partition,
    messages: messages.map((message) => messageOf(topic, partition, message)),
    highWatermark: BigInt(highWatermark),
    heartbeat: () => payload.heartbeat(),
    isOver: () => !payload.isRunning() || payload.isStale(),
    commit: async () => {
      const last = payload.batch.lastOffset()
      await consumer.commitOffsets([{ topic, partition, offset: String(BigInt(last) + 1n) }])
      payload.resolveOffset(last)
    }
  }
}

/** A header that was sent more than once arrives as a list; the last one counts, as in Java. */
function messageOf(topic: string, partition: number, message: KafkaMessage): Message {
  const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [
    name,
    (Array.isArray(value) ? value.at(-1) : value) ?? ''
  ])
  return {
    topic,
    partition,
    offset: BigInt(message.offset),
    key: message.key,
    value: message.value,
    headers: Object.fromEntries(headers) as Record<string, Buffer | string>,
    timestamp: Number(message.timestamp)
  }
}
