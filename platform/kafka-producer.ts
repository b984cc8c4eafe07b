/** The gateway's producer, on @platformatic/kafka: a third of the CPU that kafkajs takes a record.
 *
 * It is not idempotent. An idempotent client may count a batch as written that was not, when an
 * answer is lost; a plain one can only write twice, and the store settles that by identity.
 * docs/adr/0001-kafka-clients.md has the experiment.
 */
import { compatibilityPartitioner, ProduceAcks, Producer } from '@platformatic/kafka'
import type { GenericError } from '@platformatic/kafka'
import { ProduceError } from './record-producer.ts'
import type { OutgoingRecord, RecordProducer } from './record-producer.ts'

export interface KafkaProducerOptions {
  readonly brokers: readonly string[]
  readonly clientId: string
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

export function createKafkaProducer(options: KafkaProducerOptions): RecordProducer {
  let unkeyed = 0
  const producer = new Producer<Buffer, Buffer, string, Buffer>({
    clientId: options.clientId,
    bootstrapBrokers: [...options.brokers],
    acks: ProduceAcks.ALL,
    idempotent: false,
    autocreateTopics: false,
    serializers: { headerKey: (name) => Buffer.from(name ?? '', 'utf8') },
    partitioner: (message, key) =>
      key === undefined ? unkeyed++ : compatibilityPartitioner(message, key),
    // One attempt may last the whole deadline: a shorter one only makes duplicates of a slow
    // broker.
    requestTimeout: options.deadlineMs,
    timeout: options.deadlineMs,
    connectTimeout: connectTimeoutMs,
    // Trying again is done below, where the deadline is known.
    retries: 0,
    metadataMaxAge: metadataMaxAgeMs,
    maxInflights: inflightRequestsMax
  })
  // A broken connection also fails the request that used it, which is where it is handled.
  producer.on('error', () => {})

  async function send(records: readonly OutgoingRecord[]): Promise<void> {
    const giveUpAt = performance.now() + options.deadlineMs
    for (;;) {
      try {
        await producer.send({ messages: records.map(messageOf), acks: ProduceAcks.ALL })
        return
      } catch (error) {
        const retryable = isRetryable(error)
        if (!retryable || performance.now() + retryPauseMs >= giveUpAt) {
          throw new ProduceError('the broker did not acknowledge', { retryable, cause: error })
        }
      }
      await new Promise((resolve) => setTimeout(resolve, retryPauseMs))
    }
  }

  return {
    connect: async () => void (await producer.metadata({ topics: [...options.topics] })),
    send,
    close: async () => void (await producer.close(true))
  }
}

function messageOf(record: OutgoingRecord) {
  const headers = new Map<string, Buffer>()
  for (const [name, value] of Object.entries(record.headers)) {
    headers.set(name, typeof value === 'string' ? Buffer.from(value, 'utf8') : value)
  }
  const { topic, value } = record
  return record.key === null
    ? { topic, value, headers }
    : { topic, key: record.key, value, headers }
}

/** The client marks what is final; all else (network, leader changes, time-outs) may pass. */
function isRetryable(error: unknown): boolean {
  const generic = error as Partial<GenericError>
  return typeof generic.findBy !== 'function' || !generic.findBy('canRetry', false)
}
