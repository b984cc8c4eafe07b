/** What the processes of consumer groups have: client, dead letters, management port. */
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

export interface MemberOptions extends GroupContext {
  /** What the broker logs. */
  readonly clientId: string
}

export interface GroupOptions {
  readonly groupId: string
  readonly topic: string
  readonly partitionsMax: number
  /** See MessageBatch.epoch; without it all of them are 0. */
  readonly takeEpoch?: () => Promise<number>
}

/**
 * A bound on what one transaction or publication works on, where messages are so small that their
 * bytes bound nothing. More of them at once would bring next to no speed.
 */
const batchMessagesMax = 2000

/** The parts a room builds its lines from. */
export interface Member {
  readonly producer: RecordProducer
  readonly registry: Registry
  readonly metrics: Metrics
  readonly flood: Flood
  readonly patiently: Patiently
  /** One for each topic: kafkajs fetches nothing more until all that it fetched is worked off. */
  group(options: GroupOptions): Group
}

export interface Group {
  readonly settle: Settle
  /** How far the group has come with each partition. */
  readonly readProgress: () => Promise<readonly PartitionProgress[]>
  /** The partitions that are assigned to this member. */
  readonly assigned: () => readonly number[]
  /** Joins the group; from then on `consume` is called. */
  run(consume: ConsumeBatch): Promise<void>
}

/** Connects producer and admin, and opens the management port; `run` of a group does the rest. */
export async function createMember(options: MemberOptions): Promise<Member> {
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
  const flood = createFlood(config.DEAD_LETTERS_FLOOD_MAX)

  function group(of: GroupOptions): Group {
    const { groupId, topic } = of
    const consumer = createConsumer(client, options, of)
    consumers.push(consumer)
    const readProgress = () => admin.readGroupProgress(groupId, topic)
    lifecycle.onStop(`lag of ${groupId}`, startLag({ topic, readProgress, metrics, logger }))
    const stopPartitions = createStopPartitions({ logger, metrics, consumer })
    return {
      readProgress,
      assigned: () => consumer.assigned(topic),
      settle: createSettle({ producer, metrics, logger, flood, groupId }),
      run: async (consume) => {
        lifecycle.onStop(`consumer of ${groupId}`, () => consumer.stop())
        await consumer.run([topic], timed(metrics, stopPartitions(consume)))
      }
    }
  }

  return {
    ...{ producer, metrics, flood, group },
    registry: createRegistry(config.SCHEMA_REGISTRY_URL, config.SCHEMA_REGISTRY_TLS_CA),
    patiently: createPatiently({ logger, metrics })
  }
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
  /** Of all groups that the process is a member of. */
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
