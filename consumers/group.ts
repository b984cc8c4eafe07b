/** What both groups are made of: client, consumer, producer for dead letters, management port. */
import { createKafkaClient } from '../platform/kafka-client.ts'
import type { KafkaClient } from '../platform/kafka-client.ts'
import { createKafkaConsumer } from '../platform/kafka-consumer.ts'
import { kafkaSecurityOf } from '../platform/kafka-security.ts'
import type { Lifecycle } from '../platform/lifecycle.ts'
import type { Logger } from '../platform/logger.ts'
import { startManagement } from '../platform/management.ts'
import type { MessageBatch, MessageConsumer } from '../platform/message-consumer.ts'
import { createMetrics } from '../platform/metrics.ts'
import type { Metrics, ProcessMetrics } from '../platform/metrics.ts'
import { measureProcess } from '../platform/process-metrics.ts'
import type { RecordProducer } from '../platform/record-producer.ts'
import { createRegistry } from '../platform/schema-registry.ts'
import type { Registry } from '../platform/schema-registry.ts'
import type { ConsumerConfig } from './config.ts'
import { createPatiently } from './patiently.ts'
import type { Patiently } from './patiently.ts'
import { createSettle } from './settle.ts'
import type { Settle } from './settle.ts'

export interface GroupContext {
  readonly config: ConsumerConfig
  readonly logger: Logger
  readonly lifecycle: Lifecycle
}

export interface GroupOptions extends GroupContext {
  readonly groupId: string
  readonly topics: readonly string[]
  readonly partitionsMax: number
}

/** The parts a room builds its line from. */
export interface GroupParts {
  readonly client: KafkaClient
  readonly producer: RecordProducer
  readonly registry: Registry
  readonly metrics: Metrics
  readonly settle: Settle
  readonly patiently: Patiently
  /** Joins the group; from then on `consume` is called. */
  run(consume: (batch: MessageBatch) => Promise<void>): Promise<void>
}

/** Connects the producer and opens the management port; `run` does the rest. */
export async function createGroup(options: GroupOptions): Promise<GroupParts> {
  const { config, logger, lifecycle, groupId, topics, partitionsMax } = options
  const metrics = createMetrics()
  const client = createKafkaClient({
    brokers: config.KAFKA_BROKERS,
    clientId: groupId,
    logger,
    security: kafkaSecurityOf(config)
  })
  const consumer = createKafkaConsumer({
    consumer: client.consumer({
      groupId,
      batchBytesMax: config.CONSUMER_BATCH_BYTES_MAX,
      sessionTimeoutMs: config.CONSUMER_SESSION_TIMEOUT_MS
    }),
    partitionsMax,
    onCrash: (error) => {
      // Thrown outside of any promise chain: the process ends in order, and is started anew.
      setImmediate(() => {
        throw new Error('the consumer crashed', { cause: error })
      })
    }
  })
  await openManagement({ config, lifecycle, logger, metrics, consumer })
  const producer = client.producer()
  await producer.connect()
  lifecycle.onStop('producer', () => producer.close())

  return {
    client,
    producer,
    metrics,
    registry: createRegistry(config.SCHEMA_REGISTRY_URL, config.SCHEMA_REGISTRY_TLS_CA),
    settle: createSettle({ producer, metrics, logger }),
    patiently: createPatiently({ logger, metrics }),
    run: async (consume) => {
      lifecycle.onStop('consumer', () => consumer.stop())
      await consumer.run(topics, timed(metrics, consume))
    }
  }
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

function timed(metrics: Metrics, consume: (batch: MessageBatch) => Promise<void>) {
  return async function consumeTimed(batch: MessageBatch): Promise<void> {
    const startedAt = performance.now()
    await consume(batch)
    const seconds = (performance.now() - startedAt) / 1000
    metrics.observe('sluice_consumer_batch_seconds', { topic: batch.topic }, seconds)
  }
}
