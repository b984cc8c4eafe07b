/** Consumer groups on kafkajs: offsets are committed by hand, behind what was settled. */
import kafkajs from 'kafkajs'
import type { Consumer, EachBatchPayload, KafkaMessage } from 'kafkajs'
import { FencedError } from '../../core/consumed.ts'
import type { Message, MessageBatch, MessageConsumer } from './message-consumer.ts'

const { KafkaJSProtocolError } = kafkajs

export interface KafkaConsumerOptions {
  readonly consumer: Consumer
  /** Partitions worked on at a time. */
  readonly partitionsMax: number
  /** Messages in a batch; what was fetched at once is delivered as several. */
  readonly batchMessagesMax: number
  /** Asked at each join of the group; see MessageBatch.epoch. */
  readonly takeEpoch: () => Promise<number>
  /** Called when the consumer died for good, or `consume` has a bug: the process has to end. */
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

/** Its own errors the client mends or crashes of; with any other it would begin anew for ever. */
function isOfKafka(error: unknown): boolean {
  return error instanceof Error && error.name.startsWith('KafkaJS')
}

/** Taken at once; one that could not be taken is asked for again by the batch that needs it. */
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

/** A batch that is not committed is the last one: what follows must not move the group past it. */
async function deliver(delivery: Delivery, messagesMax: number, consume: Consume): Promise<void> {
  for (const part of partsOf(delivery.payload, messagesMax)) {
    let isCommitted = false
    const batch = batchOf(delivery, part, () => void (isCommitted = true))
    await consume(batch).catch(rejoinWhenFenced)
    if (!isCommitted) return
  }
}

/** To kafkajs a rebalance is what makes it leave everything lying and join again. */
function rejoinWhenFenced(error: unknown): never {
  if (!(error instanceof FencedError)) throw error
  throw new KafkaJSProtocolError(Object.assign(error, { type: 'REBALANCE_IN_PROGRESS' }))
}

/** Some messages of a batch, in their order. */
interface Part {
  readonly messages: readonly Message[]
  /** Of the last record, which may be one of the broker's own behind the last message. */
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
    ...{ topic, partition, messages, nextOffset, epoch },
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

/** Headers are put into our shape when somebody asks for them, as only dead letters do. */
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

/** A header that was sent more than once arrives as a list; the last one counts, as in Java. */
function headersOf(headers: KafkaMessage['headers'] = {}): Message['headers'] {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    (Array.isArray(value) ? value.at(-1) : value) ?? ''
  ])
  return Object.fromEntries(entries) as Message['headers']
}
