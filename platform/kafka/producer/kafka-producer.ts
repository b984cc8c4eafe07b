/** Kafka producer of the gateway and the evaluation consumer: builds its own Produce requests and
 * uses the connections and metadata of @platformatic/kafka.
 *
 * It is not idempotent. If a response is lost, an idempotent client can report a batch as written
 * although it was not. A plain client can only write duplicates, which Postgres removes by
 * identity. docs/adr/0001-kafka-clients.md describes the experiment that showed this;
 * 0041-own-produce-requests.md describes the cost of the library's own requests.
 */
import { partitionOf } from '../../../core/decision/partition.ts'
import { systemClock } from '../../process/clock.ts'
import { createKafkaCluster } from './kafka-cluster.ts'
import type { KafkaCluster } from './kafka-cluster.ts'
import type { KafkaConnectionOptions } from './kafka-connection.ts'
import { createTrySend } from './kafka-try-send.ts'
import { PartialSendError, ProduceError } from '../record-producer.ts'
import type { RecordRoute, RoutedRecord, RoutingProducer } from '../record-producer.ts'
import { sendWithRetries } from './send-with-retries.ts'

interface KafkaProducerOptions extends KafkaConnectionOptions {
  /** All topics that the producer writes. `connect` checks that they exist. */
  readonly topics: readonly string[]
  /** Maximum time that `send` retries. */
  readonly deadlineMs: number
}

const retryPauseMs = 100
/**
 * Extra time to wait for a response. A leader that waits for its followers responds only at the
 * deadline. A disconnect at that moment would force a reconnect to all brokers.
 */
const answerMarginMs = 1000
const nowhere: RecordRoute = Object.freeze({ partition: -1, leader: -1 })

export function createKafkaProducer(options: KafkaProducerOptions): RoutingProducer {
  const { deadlineMs } = options
  const requestTimeoutMs = deadlineMs + answerMarginMs
  const cluster = createKafkaCluster({ ...options, requestTimeoutMs })
  const route = createRoute(cluster)
  const trySend = createTrySend(cluster, { timeoutMs: deadlineMs, clock: systemClock })

  async function sendRouted(records: readonly RoutedRecord[]): Promise<void> {
    const options = { trySend, deadlineMs, pauseMs: retryPauseMs }
    const failed = await sendWithRetries(records, options)
    if (failed !== null) throw new PartialSendError(failed.failures, failed.cause)
  }

  return {
    connect: () => cluster.connect(),
    route,
    sendRouted,
    send: async (records) => {
      if (cluster.cached() === undefined) await cluster.connect().catch(throwUnreached)
      await sendRouted(records.map((record) => ({ ...record, ...route(record.topic, record.key) })))
    },
    close: () => cluster.close()
  }
}

function createRoute(cluster: KafkaCluster): RoutingProducer['route'] {
  let turn = 0
  return function route(topic, key) {
    const known = cluster.cached()?.topics.get(topic)
    if (known === undefined) return nowhere
    const { partitionsCount } = known
    const partition =
      key === null ? (turn = (turn + 1) % partitionsCount) : partitionOf(key, partitionsCount)
    return { partition, leader: known.partitions[partition]?.leader ?? -1 }
  }
}

function throwUnreached(cause: unknown): never {
  throw new ProduceError('no broker responds', { retryable: true, cause })
}
