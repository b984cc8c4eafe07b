/** Starts the storage group. */
import { systemClock } from '../../platform/clock.ts'
import { createPostgres } from '../../platform/postgres.ts'
import { createGroup } from '../group.ts'
import type { GroupContext } from '../group.ts'
import { startPartitions } from './partitions.ts'
import { createStorage } from './storage.ts'
import { startWatermark } from './watermark.ts'

const partitionsMax = 3
/** One for each partition under way, one for the watermark. */
const connectionsMax = partitionsMax + 1
const statementTimeoutMs = 30_000

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
  const group = await createGroup({ ...context, groupId, topics, partitionsMax })
  const { registry, flood, settle, patiently, readProgress } = group
  const stopPartitions = await startPartitions({ postgres, logger })
  lifecycle.onStop('partitions', () => Promise.resolve(stopPartitions()))

  const stopWatermark = startWatermark({
    topic,
    readProgress,
    postgres,
    clock: systemClock,
    logger
  })
  lifecycle.onStop('watermark', stopWatermark)

  await group.run(
    createStorage({ registry, postgres, flood, settle, patiently, decisionsTopic: topic })
  )
}
