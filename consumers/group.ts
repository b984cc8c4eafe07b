/** Creates the parts that all consumer processes share: Kafka clients, metrics and the management
 * port.
 */
import { createKafkaAdmin } from '../platform/kafka/kafka-admin.ts'
import { createKafkaClient } from '../platform/kafka/kafka-client.ts'
import type { KafkaClient } from '../platform/kafka/kafka-client.ts'
import { createKafkaConsumer } from '../platform/kafka/kafka-consumer.ts'
import { kafkaSecurityOf } from '../platform/kafka/kafka-security.ts'
import type { Lifecycle } from '../platform/process/lifecycle.ts'
import type { Logger } from '../platform/telemetry/logger.ts'
import { startManagement } from '../platform/telemetry/management.ts'
import type { MessageBatch, MessageConsumer } from '../platform/kafka/message-consumer.ts'
import { createPostgres } from '../platform/postgres/postgres.ts'
import type { Postgres } from '../platform/postgres/postgres.ts'
import { createMetrics } from '../platform/telemetry/metrics.ts'
import type { Metrics, ProcessMetrics } from '../platform/telemetry/metrics.ts'
import { measureProcess } from '../platform/telemetry/process-metrics.ts'
import type { RecordProducer } from '../platform/kafka/record-producer.ts'
import { createRegistry } from '../platform/registry/schema-registry.ts'
import type { Registry } from '../platform/registry/schema-registry.ts'
import type { ConsumerConfig } from './config.ts'
import type { ConsumerParts } from './consume-batch.ts'
import { createDeadLetterLimit } from './dead-letter-limit.ts'
import { startLag } from './lag.ts'
import type { PartitionProgress } from './lag.ts'
import { createRetryWhileTransient } from './retry-while-transient.ts'
import { createSettle } from './settle.ts'
import { createPausePartitions } from './pause-partitions.ts'
import type { ConsumeBatch } from './pause-partitions.ts'

export interface GroupContext {
  readonly config: ConsumerConfig
  readonly logger: Logger
  readonly lifecycle: Lifecycle
}

interface MemberOptions extends GroupContext {
  /** Client ID shown in the broker's log. */
  readonly clientId: string
}

interface GroupOptions {
  readonly groupId: string
  readonly topic: string
  readonly partitionsMax: number
  /** Source of `MessageBatch.epoch`. Without it, every epoch is 0. */
  readonly takeEpoch?: () => Promise<number>
}

/** Maximum number of messages in a batch. Larger batches of small messages are barely faster. */
const batchMessagesMax = 2000

/** Shared parts from which storage and evaluation build their consumers. */
export interface GroupMember {
  readonly metrics: Metrics
  /** Writes dead-letter records. */
  readonly producer: RecordProducer
  readonly registry: Registry
  /**
   * Creates a consumer group for one topic. Topics in the same group would delay each other,
   * because kafkajs does not fetch again until it has consumed everything that it fetched.
   */
  group(options: GroupOptions): Group
}

export interface Group extends ConsumerParts {
  /** Reads the committed offset and the end of each partition. */
  readonly readProgress: () => Promise<readonly PartitionProgress[]>
  /** Returns the partitions assigned to this member. */
  readonly assigned: () => readonly number[]
  /** Joins the group, and calls `consume` for each batch. */
  run(consume: ConsumeBatch): Promise<void>
}

/**
 * Connects the producer and the admin client, and opens the management port. `Group.run` joins a
 * group.
 */
export async function createMember(options: MemberOptions): Promise<GroupMember> {
  const { config, logger, lifecycle, clientId } = options
  const metrics = createMetrics()
  const security = kafkaSecurityOf(config)
  const client = createKafkaClient({ brokers: config.KAFKA_BROKERS, clientId, logger, security })
  const consumers: MessageConsumer[] = []
  await openManagement({ config, lifecycle, logger, metrics, consumers })
  const producer = client.producer()
  await producer.connect()
  lifecycle.onStop('producer', () => producer.close())
  const admin = createKafkaAdmin(client.admin())
  await admin.connect()
  lifecycle.onStop('admin', () => admin.close())
  const deadLetterLimit = createDeadLetterLimit(config.DEAD_LETTERS_MAX)
  const registry = createRegistry(config.SCHEMA_REGISTRY_URL, config.SCHEMA_REGISTRY_TLS_CA)
  const retryWhileTransient = createRetryWhileTransient({ logger, metrics })

  function group(of: GroupOptions): Group {
    const { groupId, topic } = of
    const consumer = createConsumer(client, options, of)
    consumers.push(consumer)
    const readProgress = () => admin.readGroupProgress(groupId, topic)
    lifecycle.onStop(
      `consumer lag of ${groupId}`,
      startLag({ topic, readProgress, metrics, logger })
    )
    const pausePartitions = createPausePartitions({ logger, metrics, consumer })
    return {
      groupId,
      registry,
      deadLetterLimit,
      retryWhileTransient,
      readProgress,
      assigned: () => consumer.assigned(topic),
      settle: createSettle({ producer, metrics, logger, deadLetterLimit, groupId }),
      run: async (consume) => {
        lifecycle.onStop(`consumer of ${groupId}`, () => consumer.stop())
        await consumer.run([topic], timed(metrics, pausePartitions(consume)))
      }
    }
  }

  return { metrics, producer, registry, group }
}

interface PoolOptions {
  /** Application name of the connections in Postgres. */
  readonly name: string
  readonly connectionsMax: number
  readonly statementTimeoutMs?: number
}

/** Opens a Postgres pool that closes when the process stops. */
export function openPostgres(
  { config, lifecycle }: GroupContext,
  { name, connectionsMax, statementTimeoutMs = 30_000 }: PoolOptions
): Postgres {
  const postgres = createPostgres({
    url: config.DATABASE_URL,
    ca: config.DATABASE_TLS_CA,
    applicationName: name,
    connectionsMax,
    statementTimeoutMs
  })
  lifecycle.onStop(`Postgres pool of ${name}`, () => postgres.close())
  return postgres
}

function createConsumer(
  client: KafkaClient,
  { config }: GroupContext,
  { groupId, partitionsMax, takeEpoch = () => Promise.resolve(0) }: GroupOptions
): MessageConsumer {
  return createKafkaConsumer({
    consumer: client.consumer({
      groupId,
      batchBytesMax: config.CONSUMER_BATCH_BYTES_MAX,
      sessionTimeoutMs: config.CONSUMER_SESSION_TIMEOUT_MS
    }),
    partitionsMax,
    batchMessagesMax,
    takeEpoch,
    onCrash: (error) => {
      // Throws outside any promise chain, so that the process shuts down and its supervisor
      // restarts it.
      setImmediate(() => {
        throw new Error('consumer crashed', { cause: error })
      })
    }
  })
}

interface ManagementParts extends GroupContext {
  readonly metrics: ProcessMetrics
  /** One consumer per group of this process. */
  readonly consumers: readonly MessageConsumer[]
}

async function openManagement(parts: ManagementParts) {
  const { config, lifecycle, logger, metrics, consumers } = parts
  const areJoined = (): boolean =>
    consumers.length > 0 && consumers.every((consumer) => consumer.isJoined())
  const notReady = (): string[] => [
    ...(areJoined() ? [] : ['consumer group']),
    ...(lifecycle.isStopping() ? ['stopping'] : [])
  ]
  measureProcess(metrics, () => notReady().length === 0)
  const management = await startManagement({
    host: config.MANAGEMENT_HOST,
    port: config.MANAGEMENT_PORT,
    metrics,
    notReady,
    logger
  })
  lifecycle.onStop('management port', () => management.close())
}

function timed(metrics: Metrics, consume: ConsumeBatch): ConsumeBatch {
  return async function consumeTimed(batch: MessageBatch): Promise<void> {
    const startedAt = performance.now()
    await consume(batch)
    const seconds = (performance.now() - startedAt) / 1000
    metrics.observe('sluice_consumer_batch_seconds', { topic: batch.topic }, seconds)
  }
}
