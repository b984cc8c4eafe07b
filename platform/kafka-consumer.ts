/** Consumer groups on kafkajs: offsets are committed by hand, behind what was settled. */
import type { Consumer, EachBatchPayload, KafkaMessage } from 'kafkajs'
import type { Message, MessageBatch, MessageConsumer } from './message-consumer.ts'

export interface KafkaConsumerOptions {
  readonly consumer: Consumer
  /** Partitions worked on at a time. */
  readonly partitionsMax: number
  /** Called when the consumer died for good, or `consume` has a bug: the process has to end. */
  readonly onCrash: (error: Error) => void
}

export function createKafkaConsumer(options: KafkaConsumerOptions): MessageConsumer {
  const { consumer, partitionsMax, onCrash } = options
  let joined = false
  let assignment: Readonly<Record<string, readonly number[]>> = {}
  consumer.on('consumer.group_join', ({ payload }) => {
    joined = true
    assignment = payload.memberAssignment
  })
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
        eachBatch: async (payload) => {
          try {
            await consume(batchOf(consumer, payload, wholeOf(payload)))
          } catch (error) {
            if (!isOfKafka(error)) onCrash(error as Error)
            throw error
          }
        }
      })
    },
    isJoined: () => joined,
    isAssigned: (topic, partition) => assignment[topic]?.includes(partition) ?? false,
    stop: () => consumer.disconnect()
  }
}

/** Its own errors the client mends or crashes of; with any other it would begin anew for ever. */
function isOfKafka(error: unknown): boolean {
  return error instanceof Error && error.name.startsWith('KafkaJS')
}

/** The messages of a batch up to some place in it. */
interface Part {
  readonly messages: readonly Message[]
  /** Of the last record, which may be one of the broker's own behind the last message. */
  readonly lastOffset: string
}

function wholeOf({ batch }: EachBatchPayload): Part {
  const { topic, partition } = batch
  const messages = batch.messages.map((message) => messageOf(topic, partition, message))
  return { messages, lastOffset: batch.lastOffset() }
}

function partBefore(messages: readonly Message[], end: bigint): Part {
  const earlier = messages.filter(({ offset }) => offset < end)
  return { messages: earlier, lastOffset: String(end - 1n) }
}

function batchOf(consumer: Consumer, payload: EachBatchPayload, part: Part): MessageBatch {
  const { topic, partition, highWatermark } = payload.batch
  const { messages, lastOffset } = part
  return {
    topic,
    partition,
    messages,
    highWatermark: BigInt(highWatermark),
    heartbeat: () => payload.heartbeat(),
    isOver: () => !payload.isRunning() || payload.isStale(),
    commit: async () => {
      const offset = String(BigInt(lastOffset) + 1n)
      await consumer.commitOffsets([{ topic, partition, offset }])
      payload.resolveOffset(lastOffset)
    },
    before: (end) => batchOf(consumer, payload, partBefore(messages, end)),
    pauseFor: (ms) => {
      const resume = payload.pause()
      setTimeout(resume, ms).unref()
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
