/** Kafka through kafkajs: consumer groups, administration, and what consumers produce. */
// Most of its names cannot be imported one by one from an ES module.
import kafkajs from 'kafkajs'
import type {
  Admin,
  Consumer,
  Kafka as KafkaConnection,
  KafkaConfig,
  LogEntry,
  PartitionerArgs,
  SASLOptions
} from 'kafkajs'
import { partitionOf } from '../../core/decision/partition.ts'
import './kafkajs-patch.ts'
import './read-ahead.ts'
import type { KafkaSecurity } from './kafka-security.ts'
import type { Logger } from '../telemetry/logger.ts'
import { ProduceError } from './record-producer.ts'
import type { OutgoingRecord, RecordProducer } from './record-producer.ts'

export interface KafkaClientOptions {
  readonly brokers: readonly string[]
  readonly clientId: string
  readonly logger: Logger
  /** Left out: in the clear, without a login. */
  readonly security?: KafkaSecurity
}

const { Kafka, logLevel, KafkaJSNumberOfRetriesExceeded } = kafkajs

const connectionTimeoutMs = 5000
const requestTimeoutMs = 30_000
const rebalanceTimeoutMs = 60_000
/** A member may miss nine heartbeats before it counts as gone. */
const heartbeatsPerSession = 10
const fetchWaitMs = 250
/**
 * Limits one fetch response to the size of this many full batches. Per broker, a consumer holds at
 * most two responses: the current one and one fetched early.
 */
const fetchPartitionsMax = 6
const producerRetries = 8
/** Some 30 s, so that a broker that has just started does not end the process. */
const consumerRetries = 8

export interface GroupOptions {
  readonly groupId: string
  /** Bytes fetched from one partition at a time. */
  readonly batchBytesMax: number
  /** A member that is silent for so long loses its partitions. */
  readonly sessionTimeoutMs: number
}

export interface KafkaClient {
  consumer(group: GroupOptions): Consumer
  admin(): Admin
  producer(): RecordProducer
}

export function createKafkaClient(options: KafkaClientOptions): KafkaClient {
  const kafka = new Kafka({
    clientId: options.clientId,
    brokers: [...options.brokers],
    ...securityOf(options.security),
    connectionTimeout: connectionTimeoutMs,
    requestTimeout: requestTimeoutMs,
    logLevel: logLevel.WARN,
    logCreator: logCreatorOf(options.logger)
  } satisfies KafkaConfig)

  return {
    consumer: ({ groupId, batchBytesMax, sessionTimeoutMs }) =>
      kafka.consumer({
        groupId,
        sessionTimeout: sessionTimeoutMs,
        rebalanceTimeout: rebalanceTimeoutMs,
        heartbeatInterval: sessionTimeoutMs / heartbeatsPerSession,
        maxWaitTimeInMs: fetchWaitMs,
        maxBytesPerPartition: batchBytesMax,
        maxBytes: batchBytesMax * fetchPartitionsMax,
        allowAutoTopicCreation: false,
        retry: { retries: consumerRetries }
      }),
    admin: () => kafka.admin(),
    producer: () => createKafkajsProducer(kafka)
  }
}

function securityOf({ tls, sasl }: KafkaSecurity = { tls: null, sasl: null }) {
  return {
    ...(tls === null ? {} : { ssl: { ...tls } }),
    // Its types want one mechanism at a time.
    ...(sasl === null ? {} : { sasl: { ...sasl } as SASLOptions })
  }
}

/** Never `idempotent: true`: with it an acknowledged record can be missing from the topic. */
function createKafkajsProducer(kafka: KafkaConnection): RecordProducer {
  const producer = kafka.producer({
    allowAutoTopicCreation: false,
    idempotent: false,
    createPartitioner,
    retry: { retries: producerRetries }
  })
  return {
    connect: () => producer.connect(),
    send: async (records) => {
      try {
        await producer.sendBatch({ acks: -1, topicMessages: byTopic(records) })
      } catch (error) {
        throw new ProduceError('the broker did not acknowledge', {
          retryable: isRetryable(error),
          cause: error
        })
      }
    },
    close: () => producer.disconnect()
  }
}

/** Records without a key go round. */
function createPartitioner() {
  let unkeyed = 0
  return function partition({ message, partitionMetadata }: PartitionerArgs): number {
    const partitions = partitionMetadata.length
    const key = message.key ?? null
    return key === null ? unkeyed++ % partitions : partitionOf(Buffer.from(key), partitions)
  }
}

/** The client calls final what it has tried often enough; the cause says whether it is. */
function isRetryable(error: unknown): boolean {
  if (error instanceof KafkaJSNumberOfRetriesExceeded) return isRetryable(error.cause)
  return (error as { retriable?: boolean } | undefined)?.retriable !== false
}

function byTopic(records: readonly OutgoingRecord[]) {
  const groups = Map.groupBy(records, (record) => record.topic)
  return [...groups].map(([topic, group]) => ({
    topic,
    messages: group.map(({ key, value, headers }) => ({ key, value, headers: { ...headers } }))
  }))
}

/** kafkajs logs what it then handles itself, so its errors are warnings here. */
function logCreatorOf(logger: Logger) {
  return () =>
    ({ log, namespace, level }: LogEntry) => {
      const { message, error } = log as { message: string; error?: unknown }
      if (level <= logLevel.WARN) logger.warn({ namespace, error }, message)
      else logger.debug({ namespace }, message)
    }
}
