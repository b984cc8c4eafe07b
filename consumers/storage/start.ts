/** Starts the storage group. */
import { systemClock } from '../../platform/process/clock.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { createPostgres } from '../../platform/postgres/postgres.ts'
import { createGroup } from '../group.ts'
import type { GroupContext } from '../group.ts'
import { startErasing } from './maintenance/carry-out-erasures.ts'
import { takeEpoch } from './take-epoch.ts'
import { createStorage } from './storage.ts'
import { startUpkeep } from './maintenance/upkeep.ts'
import { startWatermark } from './watermark.ts'

/** While one waits for Postgres, others are decoded. */
const partitionsMax = 5
/** One for each partition under way, one for each topic's watermark. */
const connectionsMax = partitionsMax + 2
const statementTimeoutMs = 30_000
/** Moving a day of decisions out of the default partition takes a while. */
const upkeepTimeoutMs = 600_000

export async function startStorage(context: GroupContext): Promise<void> {
  const { config, logger, lifecycle } = context
  const { DECISIONS_TOPIC: topic, STORAGE_GROUP_ID: groupId } = config
  const postgres = createPostgres({
    url: config.DATABASE_URL,
    ca: config.DATABASE_TLS_CA,
    applicationName: groupId,
    connectionsMax,
    statementTimeoutMs
  })
  lifecycle.onStop('postgres', () => postgres.close())
  const topics = [topic, config.EVALUATIONS_TOPIC]
  const group = await createGroup({
    ...{ ...context, groupId, topics, partitionsMax },
    takeEpoch: () => takeEpoch(postgres)
  })
  const { registry, metrics, flood, settle, patiently, readProgress } = group
  await keepTables(context, metrics)
  keepErasing(context)

  for (const each of topics) {
    const parts = { topic: each, readProgress, postgres, clock: systemClock, logger }
    lifecycle.onStop(`watermark of ${each}`, startWatermark(parts))
  }

  await group.run(
    createStorage({
      ...{ registry, metrics, postgres, flood, settle, patiently, groupId },
      ...{ clock: systemClock, logger, decisionsTopic: topic }
    })
  )
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
