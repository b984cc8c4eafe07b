/** What both groups are made of: client, consumer, producer for dead letters, management port. */
import { createKafkaAdmin } from '../platform/kafka/kafka-admin.ts'
import { createKafkaClient } from '../platform/kafka/kafka-client.ts'
import type { KafkaClient } from '../platform/kafka/kafka-client.ts'
import { createKafkaConsumer } from '../platform/kafka/kafka-consumer.ts'
import { kafkaSecurityOf } from '../platform/kafka/kafka-security.ts'
import type { Lifecycle } from '../platform/process/lifecycle.ts'
import type { Logger } from '../platform/telemetry/logger.ts'
import { startManagement } from '../platform/telemetry/management.ts'
import type { MessageBatch, MessageConsumer } from '../platform/kafka/message-consumer.ts'
import { createMetrics } from '../platform/telemetry/metrics.ts'
import type { Metrics, ProcessMetrics } from '../platform/telemetry/metrics.ts'
import { measureProcess } from '../platform/telemetry/process-metrics.ts'
import type { RecordProducer } from '../platform/kafka/record-producer.ts'
import { createRegistry } from '../platform/registry/schema-registry.ts'
import type { Registry } from '../platform/registry/schema-registry.ts'
import type { ConsumerConfig } from './config.ts'
import { createFlood } from './flood.ts'
import type { Flood } from './flood.ts'
import { startLag } from './lag.ts'
import type { PartitionProgress } from './lag.ts'
import { createPatiently } from './patiently.ts'
import type { Patiently } from './patiently.ts'
import { createSettle } from './settle.ts'
import type { Settle } from './settle.ts'
import { createStopPartitions } from './stop-partitions.ts'
import type { ConsumeBatch } from './stop-partitions.ts'

export interface GroupContext {
  readonly config: ConsumerConfig
  readonly logger: Logger
  readonly lifecycle: Lifecycle
}

export interface GroupOptions extends GroupContext {
  readonly groupId: string
  readonly topics: readonly string[]
  readonly partitionsMax: number
  /** See MessageBatch.epoch; without it all of them are 0. */
  readonly takeEpoch?: () => Promise<number>
}

/**
 * A bound on what one transaction or publication works on, where messages are so small that their
 * bytes bound nothing. More of them at once would bring next to no speed.
 */
const batchMessagesMax = 2000

/** The parts a room builds its line from. */
export interface GroupParts {
  readonly producer: RecordProducer
  readonly registry: Registry
  readonly metrics: Metrics
  readonly flood: Flood
  readonly settle: Settle
  readonly patiently: Patiently
  /** How far the group has come with each partition of a topic. */
  readonly readProgress: (topic: string) => Promise<readonly PartitionProgress[]>
  /** Joins the group; from then on `consume` is called. */
  run(consume: ConsumeBatch): Promise<void>
}

/** Connects producer and admin, and opens the management port; `run` does the rest. */
export async function createGroup(options: GroupOptions): Promise<GroupParts> {
  const { config, logger, lifecycle, groupId, topics } = options
  const metrics = createMetrics()
  const client = createKafkaClient({
    brokers: config.KAFKA_BROKERS,
    clientId: groupId,
    logger,
    security: kafkaSecurityOf(config)
  })
  const consumer = createConsumer(client, options)
  await openManagement({ config, lifecycle, logger, metrics, consumer })
  const producer = client.producer()
  await producer.connect()
  lifecycle.onStop('producer', () => producer.close())
  const admin = createKafkaAdmin(client.admin())
  await admin.connect()
  lifecycle.onStop('admin', () => admin.close())
  const readProgress: GroupParts['readProgress'] = (topic) =>
    admin.readGroupProgress(groupId, topic)
  lifecycle.onStop('lag', startLag({ topics, readProgress, metrics, logger }))
  const flood = createFlood(config.DEAD_LETTERS_FLOOD_MAX)
  const stopPartitions = createStopPartitions({ logger, metrics, consumer })

  return {
    ...{ producer, metrics, flood, readProgress },
    registry: createRegistry(config.SCHEMA_REGISTRY_URL, config.SCHEMA_REGISTRY_TLS_CA),
    settle: createSettle({ producer, metrics, logger, flood, groupId }),
    patiently: createPatiently({ logger, metrics }),
    run: async (consume) => {
      lifecycle.onStop('consumer', () => consumer.stop())
      await consumer.run(topics, timed(metrics, stopPartitions(consume)))
    }
  }
}

function createConsumer(client: KafkaClient, options: GroupOptions): MessageConsumer {
  const { config, groupId, partitionsMax } = options
  const { takeEpoch = () => Promise.resolve(0) } = options
  return createKafkaConsumer({
    consumer: client.consumer({
      groupId,
      batchBytesMax: config.CONSUMER_BATCH_BYTES_MAX,
      sessionTimeoutMs: config.CONSUMER_SESSION_TIMEOUT_MS
    }),
    ...{ partitionsMax, batchMessagesMax, takeEpoch },
    onCrash: (error) => {
      // Thrown outside of any promise chain: the process ends in order, and is started anew.
      setImmediate(() => {
        throw new Error('the consumer crashed', { cause: error })
      })
    }
  })
}

interface ManagementParts extends GroupContext {
  readonly metrics: ProcessMetrics
  readonly consumer: MessageConsumer
}

async function openManagement(parts: ManagementParts) {
  const { config, lifecycle, logger, metrics, consumer } = parts
  const notReady = (): string[] => [
    ...(consumer.isJoined() ? [] : ['consumer group']),
    ...(lifecycle.isStopping() ? ['stopping'] : [])
  ]
  measureProcess(metrics, () => notReady().length === 0)
  const management = await startManagement({
    host: config.MANAGEMENT_HOST,
    port: config.MANAGEMENT_PORT,
    ...{ metrics, notReady, logger }
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
