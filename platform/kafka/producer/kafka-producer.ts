/** Kafka producer of the gateway and the evaluation consumer: builds its own Produce requests and
 * uses the connections and metadata of @platformatic/kafka.
 *
 * It is not idempotent. If a response is lost, an idempotent client can report a batch as written
 * although it was not. A plain client can only write duplicates, which Postgres removes by
 * identity. docs/adr/0001-kafka-clients.md describes the experiment that showed this;
 * 0041-own-produce-requests.md describes the cost of the library's own requests.
 */
import { BufferPool } from '../../process/buffer-pool.ts'
import { systemClock } from '../../process/clock.ts'
import { encodeRecord, EncodedRecords, partitionAt } from './encoded-records.ts'
import type { EncodedProducer } from './encoded-records.ts'
import { createKafkaCluster } from './kafka-cluster.ts'
import type { KafkaConnectionOptions } from './kafka-connection.ts'
import { createTrySend } from './kafka-try-send.ts'
import { PartialSendError, ProduceError } from '../record-producer.ts'
import type { OutgoingRecord } from '../record-producer.ts'
import { sendWithRetries } from './send-with-retries.ts'

interface KafkaProducerOptions extends KafkaConnectionOptions {
  /** Topic that the producer writes. `connect` checks that it exists. */
  readonly topic: string
  /** Maximum time that `send` retries. */
  readonly deadlineMs: number
}

const retryPauseMs = 100
/**
 * Extra time to wait for a response. A leader that waits for its followers responds only at the
 * deadline. A disconnect at that moment would force a reconnect to all brokers.
 */
const answerMarginMs = 1000

export function createKafkaProducer(options: KafkaProducerOptions): EncodedProducer {
  const { topic, deadlineMs } = options
  const requestTimeoutMs = deadlineMs + answerMarginMs
  const cluster = createKafkaCluster({ ...options, topics: [topic], requestTimeoutMs })
  const timeouts = { timeoutMs: deadlineMs, clock: systemClock }
  const trySend = createTrySend(cluster, { topic, pool: new BufferPool(), ...timeouts })
  const partitions = () => cluster.cached()?.topics.get(topic)?.partitions ?? []
  let turn = 0

  function partitionOf(record: Buffer): number {
    const { length } = partitions()
    const partition = partitionAt(record, 0, length)
    return partition < 0 && length > 0 ? (turn = (turn + 1) % length) : partition
  }

  async function sendEncoded(records: EncodedRecords): Promise<void> {
    const options = { trySend, deadlineMs, pauseMs: retryPauseMs }
    const failed = await sendWithRetries(records, options)
    if (failed !== null) throw new PartialSendError(failed.failures, failed.cause)
  }

  async function send(records: readonly OutgoingRecord[]): Promise<void> {
    if (cluster.cached() === undefined) await cluster.connect().catch(throwUnreached)
    const encoded = new EncodedRecords()
    for (const record of records) {
      if (record.topic !== topic) throw new TypeError(`topic "${record.topic}" is not configured`)
      const buffer = encodeRecord(record)
      const places = { buffers: [buffer], starts: [0], ends: [buffer.length] }
      encoded.add(places, 0, partitionOf(buffer))
    }
    await sendEncoded(encoded)
  }

  return {
    connect: () => cluster.connect(),
    partitions,
    sendEncoded,
    send,
    close: () => cluster.close()
  }
}

function throwUnreached(cause: unknown): never {
  throw new ProduceError('no broker responds', { retryable: true, cause })
}
