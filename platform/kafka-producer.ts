/** The gateway's producer, on @platformatic/kafka: a third of the CPU that kafkajs takes a record.
 *
 * It is not idempotent. An idempotent client may count a batch as written that was not, when an
 * answer is lost; a plain one can only write twice, and the store settles that by identity.
 * docs/adr/0001-kafka-clients.md has the experiment.
 */
import { compatibilityPartitioner, ProduceAcks, Producer } from '@platformatic/kafka'
import { partitionOf } from '../core/partition.ts'
import { connectionOf } from './kafka-connection.ts'
import type { KafkaConnectionOptions } from './kafka-connection.ts'
import { verdictsOf } from './kafka-verdicts.ts'
import { PartialSendError, ProduceError } from './record-producer.ts'
import type { OutgoingRecord, Route, RoutedRecord, RoutingProducer } from './record-producer.ts'
import { sendPersistently } from './send-persistently.ts'
import type { Tried } from './send-persistently.ts'

export interface KafkaProducerOptions extends KafkaConnectionOptions {
  /** Every topic that will be written; `connect` proves that they exist. */
  readonly topics: readonly string[]
  /** How long `send` goes on trying. */
  readonly deadlineMs: number
}

const connectTimeoutMs = 3000
const retryPauseMs = 100
/** Requests on their way to one broker at a time. */
const inflightRequestsMax = 5
const metadataMaxAgeMs = 5000
const nowhere: Route = Object.freeze({ partition: -1, leader: -1 })

export function createKafkaProducer(options: KafkaProducerOptions): RoutingProducer {
  const producer = openProducer(options)
  const { deadlineMs } = options
  let turn = 0

  function route(topic: string, key: Buffer | null): Route {
    const known = producer.currentMetadata?.topics.get(topic)
    if (known === undefined) return nowhere
    const { partitionsCount } = known
    const partition =
      key === null ? (turn = (turn + 1) % partitionsCount) : partitionOf(key, partitionsCount)
    return { partition, leader: known.partitions[partition]?.leader ?? -1 }
  }

  async function trySend(records: readonly RoutedRecord[]): Promise<Tried | null> {
    try {
      await producer.send({ messages: records.map(messageOf), acks: ProduceAcks.ALL })
      return null
    } catch (cause) {
      return { verdicts: verdictsOf(cause, records), cause }
    }
  }

  async function sendRouted(records: readonly RoutedRecord[]): Promise<void> {
    const options = { trySend, deadlineMs, pauseMs: retryPauseMs }
    const failed = await sendPersistently(records, options)
    if (failed !== null) throw new PartialSendError(failed.failures, failed.cause)
  }

  async function connect(): Promise<void> {
    await producer.metadata({ topics: [...options.topics] })
  }

  return {
    connect,
    route,
    sendRouted,
    send: async (records) => {
      if (producer.currentMetadata === undefined) await connect().catch(throwUnreached)
      await sendRouted(records.map((record) => ({ ...record, ...route(record.topic, record.key) })))
    },
    close: async () => void (await producer.close(true))
  }
}

function openProducer(options: KafkaProducerOptions): Producer<Buffer, Buffer, string, Buffer> {
  const producer = new Producer<Buffer, Buffer, string, Buffer>({
    ...connectionOf(options),
    acks: ProduceAcks.ALL,
    idempotent: false,
    autocreateTopics: false,
    serializers: { headerKey: (name) => nameBytesOf(name ?? '') },
    // Only what could not be routed beforehand comes here.
    partitioner: (message, key) => (key === undefined ? 0 : compatibilityPartitioner(message, key)),
    // One attempt may last the whole deadline: a shorter one only makes duplicates of a slow
    // broker.
    requestTimeout: options.deadlineMs,
    timeout: options.deadlineMs,
    connectTimeout: connectTimeoutMs,
    // Trying again is done elsewhere, where the deadline is known.
    retries: 0,
    metadataMaxAge: metadataMaxAgeMs,
    maxInflights: inflightRequestsMax
  })
  // A broken connection also fails the request that used it, which is where it is handled.
  producer.on('error', () => {})
  return producer
}

/** Names of headers are few and never change. */
const names = new Map<string, Buffer>()

function nameBytesOf(name: string): Buffer {
  const known = names.get(name)
  if (known !== undefined) return known
  const bytes = Buffer.from(name, 'utf8')
  if (names.size < 100) names.set(name, bytes)
  return bytes
}

function messageOf(record: OutgoingRecord & { readonly partition: number }) {
  const headers = new Map<string, Buffer>()
  for (const name in record.headers) {
    const value = record.headers[name] ?? ''
    headers.set(name, typeof value === 'string' ? Buffer.from(value, 'utf8') : value)
  }
  const { topic, value, key, partition } = record
  return {
    ...{ topic, value, headers },
    ...(key === null ? {} : { key }),
    ...(partition < 0 ? {} : { partition })
  }
}

function throwUnreached(cause: unknown): never {
  throw new ProduceError('no broker answers', { retryable: true, cause })
}
