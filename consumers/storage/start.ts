/** Starts the storage process: the consumer groups of both topics, table maintenance, erasures, the
 * index of dead-letter records, and the ledger.
 */
import type { Decision } from '../../core/decision/decision.ts'
import type { Evaluation } from '../../core/evaluation/evaluation.ts'
import { systemClock as clock } from '../../platform/process/clock.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { createKafkaFetcher } from '../../platform/kafka/kafka-fetcher.ts'
import { kafkaSecurityOf } from '../../platform/kafka/kafka-security.ts'
import { evaluationsGroupOf } from '../../platform/kafka/storage-groups.ts'
import { createTopicReader } from '../../platform/kafka/topic-reader.ts'
import type { TopicReader } from '../../platform/kafka/topic-reader.ts'
import { createDecodeDecision, createDecodeEvaluation } from '../../platform/registry/decoders.ts'
import { createConsumeBatch } from '../consume-batch.ts'
import { createMember, openPostgres } from '../group.ts'
import type { Group, GroupContext, GroupMember } from '../group.ts'
import { bisecting } from './bisect.ts'
import { startDeadLetters } from './dead-letters/start-dead-letters.ts'
import { startLedger } from './ledger/start-ledger.ts'
import { startErasures } from './maintenance/carry-out-erasures.ts'
import { createMeasureDelay } from './measure-delay.ts'
import { createNotifyCompleted } from './notify-completed.ts'
import { createReportDropped } from './report-dropped.ts'
import { createStoreDecisions } from './store-decisions.ts'
import { createStoreEvaluations } from './store-evaluations.ts'
import { createSubscribers } from './subscribers.ts'
import { takeEpoch } from './take-epoch.ts'
import { startMaintenance } from './maintenance/maintenance.ts'
import { startWatermark } from './watermark.ts'

/**
 * Maximum number of concurrent partitions per topic. While one partition waits for Postgres, others
 * are decoded.
 */
const partitionsMax = 3
/**
 * Maximum number of Postgres connections: one per concurrent partition, and one per topic for the
 * watermark.
 */
const connectionsMax = 2 * partitionsMax + 2
/**
 * Statement timeout of maintenance. High, because moving a day of decisions out of the default
 * partition can take minutes.
 */
const maintenanceTimeoutMs = 600_000
/** One connection per dead-letter topic to index it, and one to carry out requests. */
const deadLetterConnectionsMax = 3

export async function startStorage(context: GroupContext): Promise<void> {
  const { config, logger, lifecycle } = context
  const { STORAGE_GROUP_ID: clientId } = config
  const postgres = openPostgres(context, { name: clientId, connectionsMax })
  const member = await createMember({ ...context, clientId })
  const { metrics } = member
  await keepTables(context, metrics)
  keepErasing(context)
  keepIndexing(context, member)

  function join(groupId: string, topic: string) {
    const group = member.group({
      groupId,
      topic,
      partitionsMax,
      takeEpoch: () => takeEpoch(postgres)
    })
    const { readProgress } = group
    const watermark = { topic, readProgress, postgres, clock, logger }
    lifecycle.onStop(`watermark of ${topic}`, startWatermark(watermark))
    return group
  }

  // Creates both groups before running the first one. Otherwise, the process would report that it
  // is ready before the second group has joined.
  const decisions = join(clientId, config.DECISIONS_TOPIC)
  const evaluations = join(evaluationsGroupOf(clientId), config.EVALUATIONS_TOPIC)
  if (config.AUDIT_INTERVAL_SECONDS > 0) keepAuditing(context, decisions)
  const measureDelay = createMeasureDelay({ metrics, clock })
  await decisions.run(
    createConsumeBatch<Decision>({
      ...decisions,
      decode: createDecodeDecision(decisions.registry),
      handle: measureDelay(bisecting(createStoreDecisions({ postgres }), decisions.groupId))
    })
  )
  const notifyCompleted = createNotifyCompleted({
    subscribers: createSubscribers({ clock }),
    clock,
    onDropped: createReportDropped({ metrics, logger, clock })
  })
  await evaluations.run(
    createConsumeBatch<Evaluation>({
      ...evaluations,
      decode: createDecodeEvaluation(evaluations.registry),
      handle: bisecting(createStoreEvaluations({ postgres, notifyCompleted }), evaluations.groupId)
    })
  )
}

/** Gives table maintenance its own connection, so that it does not delay storage. */
async function keepTables(context: GroupContext, metrics: Metrics): Promise<void> {
  const { config, logger, lifecycle } = context
  const postgres = openPostgres(context, {
    name: `${config.STORAGE_GROUP_ID} maintenance`,
    connectionsMax: 1,
    statementTimeoutMs: maintenanceTimeoutMs
  })
  const retentionDays = config.DECISIONS_RETENTION_DAYS
  const signal = lifecycle.stopping
  const stopMaintenance = await startMaintenance({
    postgres,
    logger,
    metrics,
    retentionDays,
    signal
  })
  lifecycle.onStop('maintenance', stopMaintenance)
}

/** Gives erasures their own connection, because finding the decisions to erase can take minutes. */
function keepErasing(context: GroupContext): void {
  const { config, logger, lifecycle } = context
  const postgres = openPostgres(context, {
    name: `${config.STORAGE_GROUP_ID} erasing`,
    connectionsMax: 1,
    statementTimeoutMs: maintenanceTimeoutMs
  })
  const signal = lifecycle.stopping
  lifecycle.onStop('erasing', startErasures({ postgres, logger, signal }))
}

/** Gives the ledger its own connections, so that an audit does not delay storage. */
function keepAuditing(context: GroupContext, { groupId, registry, readProgress }: Group): void {
  const { config, logger, lifecycle } = context
  const reader = openReader(config)
  const postgres = openPostgres(context, { name: `${groupId} ledger`, connectionsMax: 1 })
  const readCommitted = async (): Promise<bigint[]> => {
    const progress = await readProgress()
    return progress
      .toSorted((one, other) => one.partition - other.partition)
      .map(({ committed }) => committed)
  }
  const decode = createDecodeDecision(registry)
  const stop = startLedger({ config, reader, postgres, decode, readCommitted, clock, logger })
  // Closing the reader ends its requests, which would otherwise be retried while Kafka is down.
  lifecycle.onStop('ledger', async () => void (await Promise.all([stop(), reader.close()])))
}

/** Gives the dead-letter index and replays their own connections: a replay waits for Kafka. */
function keepIndexing(context: GroupContext, { producer, registry }: GroupMember): void {
  const { config, logger, lifecycle } = context
  const name = `${config.STORAGE_GROUP_ID} dead letters`
  const stop = startDeadLetters({
    reader: openReader(config),
    producer,
    postgres: openPostgres(context, { name, connectionsMax: deadLetterConnectionsMax }),
    registry,
    clock,
    logger,
    decisionsTopic: config.DECISIONS_TOPIC,
    evaluationsTopic: config.EVALUATIONS_TOPIC
  })
  lifecycle.onStop('dead-letter index', stop)
}

function openReader(config: GroupContext['config']): TopicReader {
  return createTopicReader(
    createKafkaFetcher({
      brokers: config.KAFKA_BROKERS,
      clientId: config.STORAGE_GROUP_ID,
      security: kafkaSecurityOf(config)
    })
  )
}
