/** Kafka consumer based on kafkajs: commits offsets explicitly, after a batch is processed. */
import kafkajs from 'kafkajs'
import type { Consumer, EachBatchPayload, KafkaMessage } from 'kafkajs'
import { FencedError } from '../../core/message-outcome.ts'
import type { Message, MessageBatch, MessageConsumer } from './message-consumer.ts'

const { KafkaJSProtocolError } = kafkajs

interface KafkaConsumerOptions {
  readonly consumer: Consumer
  /** Maximum number of partitions processed concurrently. */
  readonly partitionsMax: number
  /** Maximum number of messages in a batch. A larger fetch is split into several batches. */
  readonly batchMessagesMax: number
  /**
   * Returns a new epoch. Called each time the consumer joins the group; see `MessageBatch.epoch`.
   */
  readonly takeEpoch: () => Promise<number>
  /**
   * Called if kafkajs gives up or `consume` throws an unexpected error. The process must then exit.
   */
  readonly onCrash: (error: Error) => void
}

type Consume = (batch: MessageBatch) => Promise<void>
type TakeEpoch = KafkaConsumerOptions['takeEpoch']

export function createKafkaConsumer(options: KafkaConsumerOptions): MessageConsumer {
  const { consumer, partitionsMax, batchMessagesMax, takeEpoch, onCrash } = options
  let joined = false
  let assignment: Readonly<Record<string, readonly number[]>> = {}
  let epoch: TakeEpoch = takeEpoch
  consumer.on('consumer.group_join', ({ payload }) => {
    joined = true
    assignment = payload.memberAssignment
    epoch = createEpoch(takeEpoch)
  })
  consumer.on('consumer.rebalancing', () => void (joined = false))
  consumer.on('consumer.crash', ({ payload }) => {
    joined = false
    // kafkajs restarts by itself after transient errors, for example while a broker is unavailable.
    if (!payload.restart) onCrash(payload.error)
  })

  return {
    run: async (topics, consume) => {
      await consumer.connect()
      // A new group starts at the beginning of the topic, because "latest" would skip existing
      // messages.
      await consumer.subscribe({ topics: [...topics], fromBeginning: true })
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: partitionsMax,
        eachBatch: async (payload) => {
          try {
            await deliver({ consumer, payload, epoch }, batchMessagesMax, consume)
          } catch (error) {
            if (!isOfKafka(error)) onCrash(error as Error)
            throw error
          }
        }
      })
    },
    isJoined: () => joined,
    assigned: (topic) => assignment[topic] ?? [],
    isAssigned: (topic, partition) => assignment[topic]?.includes(partition) ?? false,
    stop: () => consumer.disconnect()
  }
}

/**
 * Checks whether the error comes from kafkajs, which handles its own errors. After any other error,
 * kafkajs would restart forever.
 */
function isOfKafka(error: unknown): boolean {
  return error instanceof Error && error.name.startsWith('KafkaJS')
}

/**
 * Requests the epoch immediately. After a failure, requests it again for the next batch that needs
 * it.
 */
function createEpoch(takeEpoch: TakeEpoch): TakeEpoch {
  let taken: Promise<number> | null = null
  function epoch(): Promise<number> {
    taken ??= takeEpoch().catch((error: unknown) => {
      taken = null
      throw error
    })
    return taken
  }
  epoch().catch(() => {})
  return epoch
}

interface Delivery {
  readonly consumer: Consumer
  readonly payload: EachBatchPayload
  readonly epoch: TakeEpoch
}

/**
 * Delivers a fetched batch in parts. Stops at a part that is not committed, because committing a
 * later part would skip it.
 */
async function deliver(delivery: Delivery, messagesMax: number, consume: Consume): Promise<void> {
  for (const part of partsOf(delivery.payload, messagesMax)) {
    let isCommitted = false
    const batch = batchOf(delivery, part, () => void (isCommitted = true))
    await consume(batch).catch(rejoinWhenFenced)
    if (!isCommitted) return
  }
}

/** Converts a FencedError to a rebalance error, so that kafkajs drops its batches and rejoins. */
function rejoinWhenFenced(error: unknown): never {
  if (!(error instanceof FencedError)) throw error
  throw new KafkaJSProtocolError(Object.assign(error, { type: 'REBALANCE_IN_PROGRESS' }))
}

/** Part of a fetched batch, with messages in offset order. */
interface Part {
  readonly messages: readonly Message[]
  /** Offset of the last record. It can be a control record after the last message. */
  readonly lastOffset: string
}

function partsOf({ batch }: EachBatchPayload, messagesMax: number): Part[] {
  const { topic, partition } = batch
  const messages = batch.messages.map((message) => messageOf(topic, partition, message))
  const count = Math.ceil(messages.length / messagesMax)
  return Array.from({ length: count }, (_, index) => {
    const part = messages.slice(index * messagesMax, (index + 1) * messagesMax)
    const isLast = index === count - 1
    return { messages: part, lastOffset: isLast ? batch.lastOffset() : String(part.at(-1)?.offset) }
  })
}

function partBefore(messages: readonly Message[], end: bigint): Part {
  const earlier = messages.filter(({ offset }) => offset < end)
  return { messages: earlier, lastOffset: String(end - 1n) }
}

function batchOf(delivery: Delivery, part: Part, onCommit: () => void): MessageBatch {
  const { consumer, payload, epoch } = delivery
  const { topic, partition } = payload.batch
  const { messages, lastOffset } = part
  const nextOffset = BigInt(lastOffset) + 1n
  return {
    topic,
    partition,
    messages,
    nextOffset,
    epoch,
    heartbeat: () => payload.heartbeat(),
    isOver: () => !payload.isRunning() || payload.isStale(),
    commit: async () => {
      await consumer.commitOffsets([{ topic, partition, offset: String(nextOffset) }])
      payload.resolveOffset(lastOffset)
      onCommit()
    },
    before: (end) => batchOf(delivery, partBefore(messages, end), () => {}),
    pauseFor: (ms) => {
      const resume = payload.pause()
      setTimeout(resume, ms).unref()
    }
  }
}

/**
 * Converts a message. Headers are converted only when they are read, because only dead-letter
 * records need them.
 */
function messageOf(topic: string, partition: number, message: KafkaMessage): Message {
  return {
    topic,
    partition,
    offset: BigInt(message.offset),
    key: message.key,
    value: message.value,
    get headers() {
      return headersOf(message.headers)
    },
    timestamp: Number(message.timestamp)
  }
}

/** Converts headers. If a header is repeated, its last value is used, as in the Java client. */
function headersOf(headers: KafkaMessage['headers'] = {}): Message['headers'] {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    (Array.isArray(value) ? value.at(-1) : value) ?? ''
  ])
  return Object.fromEntries(entries) as Message['headers']
}
