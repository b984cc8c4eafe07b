/** Kafka client based on kafkajs: creates consumers, producers and administration clients. */
// kafkajs is a CommonJS package: an ES module cannot import most of its names individually.
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

interface KafkaClientOptions {
  readonly brokers: readonly string[]
  readonly clientId: string
  readonly logger: Logger
  /** Default: no encryption and no authentication. */
  readonly security?: KafkaSecurity
}

const { Kafka, logLevel, KafkaJSNumberOfRetriesExceeded } = kafkajs

const connectionTimeoutMs = 5000
const requestTimeoutMs = 30_000
const rebalanceTimeoutMs = 60_000
/**
 * Number of heartbeats per session timeout. The broker removes a member after it misses all of
 * them.
 */
const heartbeatsPerSession = 10
const fetchWaitMs = 250
/**
 * Maximum size of a fetch response, in multiples of `batchBytesMax`. A consumer holds at most two
 * responses per broker: the current one and one fetched ahead.
 */
const fetchPartitionsMax = 6
const producerRetries = 8
/** Retries for about a minute, so that the process survives a broker that is still starting. */
const consumerRetries = 8

interface KafkaGroupOptions {
  readonly groupId: string
  /** Maximum number of bytes per partition in one fetch. */
  readonly batchBytesMax: number
  /** Time without heartbeats after which a member loses its partitions. */
  readonly sessionTimeoutMs: number
}

export interface KafkaClient {
  consumer(group: KafkaGroupOptions): Consumer
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
    // The types of kafkajs do not accept a union of mechanisms.
    ...(sasl === null ? {} : { sasl: { ...sasl } as SASLOptions })
  }
}

/**
 * Creates a producer without idempotence, because an idempotent one can acknowledge a record that
 * is missing from the topic (ADR 0001).
 */
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
        throw new ProduceError('Kafka did not acknowledge the write', {
          retryable: isRetryable(error),
          cause: error
        })
      }
    },
    close: () => producer.disconnect()
  }
}

/** Creates a partitioner that distributes records without a key in round-robin order. */
function createPartitioner() {
  let unkeyed = 0
  return function partition({ message, partitionMetadata }: PartitionerArgs): number {
    const partitions = partitionMetadata.length
    const key = message.key ?? null
    return key === null ? unkeyed++ % partitions : partitionOf(Buffer.from(key), partitions)
  }
}

/**
 * Checks whether a retry can succeed. kafkajs marks every error as final after its own retries, so
 * the cause decides.
 */
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

/** Forwards kafkajs logs. Errors become warnings, because kafkajs handles them itself. */
function logCreatorOf(logger: Logger) {
  return () =>
    ({ log, namespace, level }: LogEntry) => {
      const { message, error } = log as { message: string; error?: unknown }
      if (level <= logLevel.WARN) logger.warn({ namespace, error }, message)
      else logger.debug({ namespace }, message)
    }
}
