/** The producer of the gateway and of evaluations: requests written here, connections and what
 *  brokers say of themselves by @platformatic/kafka.
 *
 * It is not idempotent. An idempotent client may count a batch as written that was not, when an
 * answer is lost; a plain one can only write twice, and the store settles that by identity.
 * docs/adr/0001-kafka-clients.md has the experiment, and 0041-produce-requests-of-our-own.md what
 * the client's own requests cost.
 */
import { partitionOf } from '../../../core/decision/partition.ts'
import { systemClock } from '../../process/clock.ts'
import { createKafkaCluster } from './kafka-cluster.ts'
import type { KafkaCluster } from './kafka-cluster.ts'
import type { KafkaConnectionOptions } from './kafka-connection.ts'
import { createTrySend } from './kafka-try-send.ts'
import { PartialSendError, ProduceError } from '../record-producer.ts'
import type { Route, RoutedRecord, RoutingProducer } from '../record-producer.ts'
import { sendPersistently } from './send-persistently.ts'

export interface KafkaProducerOptions extends KafkaConnectionOptions {
  /** Every topic that will be written; `connect` proves that they exist. */
  readonly topics: readonly string[]
  /** How long `send` goes on trying. */
  readonly deadlineMs: number
}

const retryPauseMs = 100
/**
 * A broker that waits in vain for another says so at the deadline; who hangs up just then has to
 * connect to all of them again.
 */
const answerMarginMs = 1000
const nowhere: Route = Object.freeze({ partition: -1, leader: -1 })

export function createKafkaProducer(options: KafkaProducerOptions): RoutingProducer {
  const { deadlineMs } = options
  const requestTimeoutMs = deadlineMs + answerMarginMs
  const cluster = createKafkaCluster({ ...options, requestTimeoutMs })
  const route = createRoute(cluster)
  const trySend = createTrySend(cluster, { timeoutMs: deadlineMs, clock: systemClock })

  async function sendRouted(records: readonly RoutedRecord[]): Promise<void> {
    const options = { trySend, deadlineMs, pauseMs: retryPauseMs }
    const failed = await sendPersistently(records, options)
    if (failed !== null) throw new PartialSendError(failed.failures, failed.cause)
  }

  return {
    connect: () => cluster.connect(),
    route,
    sendRouted,
    send: async (records) => {
      if (cluster.known() === undefined) await cluster.connect().catch(throwUnreached)
      await sendRouted(records.map((record) => ({ ...record, ...route(record.topic, record.key) })))
    },
    close: () => cluster.close()
  }
}

function createRoute(cluster: KafkaCluster): RoutingProducer['route'] {
  let turn = 0
  return function route(topic, key) {
    const known = cluster.known()?.topics.get(topic)
    if (known === undefined) return nowhere
    const { partitionsCount } = known
    const partition =
      key === null ? (turn = (turn + 1) % partitionsCount) : partitionOf(key, partitionsCount)
    return { partition, leader: known.partitions[partition]?.leader ?? -1 }
  }
}

function throwUnreached(cause: unknown): never {
  throw new ProduceError('no broker answers', { retryable: true, cause })
}
