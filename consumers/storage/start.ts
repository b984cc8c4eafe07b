/** Starts the storage process: the consumer groups of both topics, table maintenance and erasures.
 */
import { systemClock } from '../../platform/process/clock.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { createPostgres } from '../../platform/postgres/postgres.ts'
import { evaluationsGroupOf } from '../../platform/kafka/storage-groups.ts'
import { createMember } from '../group.ts'
import type { GroupContext, GroupOptions } from '../group.ts'
import { startErasures } from './maintenance/carry-out-erasures.ts'
import { takeEpoch } from './take-epoch.ts'
import { createConsumeDecisions, createConsumeEvaluations } from './storage.ts'
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
const statementTimeoutMs = 30_000
/**
 * Statement timeout of maintenance. High, because moving a day of decisions out of the default
 * partition can take minutes.
 */
const maintenanceTimeoutMs = 600_000

export async function startStorage(context: GroupContext): Promise<void> {
  const { config, logger, lifecycle } = context
  const { STORAGE_GROUP_ID: clientId } = config
  const postgres = createPostgres({
    url: config.DATABASE_URL,
    ca: config.DATABASE_TLS_CA,
    applicationName: clientId,
    connectionsMax,
    statementTimeoutMs
  })
  lifecycle.onStop('postgres', () => postgres.close())
  const member = await createMember({ ...context, clientId })
  const { registry, metrics, deadLetterLimit, retryWhileTransient } = member
  await keepTables(context, metrics)
  keepErasing(context)
  const ofDecisions = { groupId: clientId, topic: config.DECISIONS_TOPIC }
  const ofEvaluations = {
    groupId: evaluationsGroupOf(clientId),
    topic: config.EVALUATIONS_TOPIC
  }

  function join(of: Pick<GroupOptions, 'groupId' | 'topic'>) {
    const epochs = { takeEpoch: () => takeEpoch(postgres) }
    const group = member.group({ ...of, ...epochs, partitionsMax })
    const { settle, readProgress } = group
    const progress = { topic: of.topic, readProgress, postgres, clock: systemClock, logger }
    lifecycle.onStop(`watermark of ${of.topic}`, startWatermark(progress))
    const parts = {
      registry,
      metrics,
      postgres,
      deadLetterLimit,
      settle,
      retryWhileTransient,
      clock: systemClock
    }
    return { ...group, parts: { ...parts, logger, groupId: of.groupId } }
  }

  // Creates both groups before running the first one. Otherwise, the process would report that it
  // is ready before the second group has joined.
  const [decisions, evaluations] = [join(ofDecisions), join(ofEvaluations)]
  await decisions.run(createConsumeDecisions(decisions.parts))
  await evaluations.run(createConsumeEvaluations(evaluations.parts))
}

/** Gives table maintenance its own connection, so that it does not delay storage. */
async function keepTables(context: GroupContext, metrics: Metrics): Promise<void> {
  const { config, logger, lifecycle } = context
  const postgres = createPostgres({
    url: config.DATABASE_URL,
    ca: config.DATABASE_TLS_CA,
    applicationName: `${config.STORAGE_GROUP_ID} maintenance`,
    connectionsMax: 1,
    statementTimeoutMs: maintenanceTimeoutMs
  })
  lifecycle.onStop('maintenance Postgres pool', () => postgres.close())
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
function keepErasing({ config, logger, lifecycle }: GroupContext): void {
  const postgres = createPostgres({
    url: config.DATABASE_URL,
    ca: config.DATABASE_TLS_CA,
    applicationName: `${config.STORAGE_GROUP_ID} erasing`,
    connectionsMax: 1,
    statementTimeoutMs: maintenanceTimeoutMs
  })
  lifecycle.onStop('erasure Postgres pool', () => postgres.close())
  const signal = lifecycle.stopping
  lifecycle.onStop('erasing', startErasures({ postgres, logger, signal }))
}
