/** Starts the storage groups. */
import { systemClock } from '../../platform/process/clock.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { createPostgres } from '../../platform/postgres/postgres.ts'
import { evaluationsGroupOf } from '../../platform/kafka/storage-groups.ts'
import { createMember } from '../group.ts'
import type { GroupContext, GroupOptions } from '../group.ts'
import { startErasing } from './maintenance/carry-out-erasures.ts'
import { takeEpoch } from './take-epoch.ts'
import { createConsumeDecisions, createConsumeEvaluations } from './storage.ts'
import { startUpkeep } from './maintenance/upkeep.ts'
import { startWatermark } from './watermark.ts'

/** Of each topic: while one waits for Postgres, others are decoded. */
const partitionsMax = 3
/** One for each partition under way, one for each topic's watermark. */
const connectionsMax = 2 * partitionsMax + 2
const statementTimeoutMs = 30_000
/** Moving a day of decisions out of the default partition takes a while. */
const upkeepTimeoutMs = 600_000

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
  const { registry, metrics, flood, patiently } = member
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
    const parts = { registry, metrics, postgres, flood, settle, patiently, clock: systemClock }
    return { ...group, parts: { ...parts, logger, groupId: of.groupId } }
  }

  // Both before the first runs: the process is ready when all its groups are joined.
  const [decisions, evaluations] = [join(ofDecisions), join(ofEvaluations)]
  await decisions.run(createConsumeDecisions(decisions.parts))
  await evaluations.run(createConsumeEvaluations(evaluations.parts))
}

/** With a connection of its own: what takes long there holds up nothing here. */
async function keepTables(context: GroupContext, metrics: Metrics): Promise<void> {
  const { config, logger, lifecycle } = context
  const postgres = createPostgres({
    url: config.DATABASE_URL,
    ca: config.DATABASE_TLS_CA,
    applicationName: `${config.STORAGE_GROUP_ID} upkeep`,
    connectionsMax: 1,
    statementTimeoutMs: upkeepTimeoutMs
  })
  lifecycle.onStop('postgres of the upkeep', () => postgres.close())
  const retentionDays = config.DECISIONS_RETENTION_DAYS
  const signal = lifecycle.stopping
  const stopUpkeep = await startUpkeep({ postgres, logger, metrics, retentionDays, signal })
  lifecycle.onStop('upkeep', stopUpkeep)
}

/** With a connection of its own as well: to find what is erased may take long, too. */
function keepErasing({ config, logger, lifecycle }: GroupContext): void {
  const postgres = createPostgres({
    url: config.DATABASE_URL,
    ca: config.DATABASE_TLS_CA,
    applicationName: `${config.STORAGE_GROUP_ID} erasing`,
    connectionsMax: 1,
    statementTimeoutMs: upkeepTimeoutMs
  })
  lifecycle.onStop('postgres of the erasing', () => postgres.close())
  const signal = lifecycle.stopping
  lifecycle.onStop('erasing', startErasing({ postgres, logger, signal }))
}
