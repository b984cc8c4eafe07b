/** `sluice rewind`: resets consumer-group offsets to the positions in a restored database. */
import { formatTable } from '../../core/format-table.ts'
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import type { KafkaAdmin } from '../../platform/kafka/kafka-admin.ts'
import { kafkaSettingNames } from '../../platform/kafka/kafka-security.ts'
import { findRewinds, isBeyondEnd } from '../rewind/find-rewinds.ts'
import type { Rewind } from '../rewind/find-rewinds.ts'
import { readGroupPositions } from '../rewind/read-group-positions.ts'
import { withAdmin } from '../with-admin.ts'
import { withPostgres } from '../with-postgres.ts'

export interface RewindOptions {
  readonly execute?: boolean
  readonly json?: boolean
}

/** @returns false if messages are lost: neither the database nor the topic has them */
export async function rewind(
  environment: Environment,
  options: RewindOptions,
  write: (line: string) => void
): Promise<boolean> {
  const config = readConfig(environment, [
    ...kafkaSettingNames,
    'DATABASE_URL',
    'DATABASE_TLS_CA',
    'DECISIONS_TOPIC',
    'EVALUATIONS_TOPIC',
    'STORAGE_GROUP_ID',
    'EVALUATION_GROUP_ID'
  ])
  const execute = options.execute === true
  const rewinds = await withAdmin(config, (admin) =>
    withPostgres(config, async (postgres) => {
      const found = findRewinds(await readGroupPositions({ admin, postgres }, config))
      if (execute) await resetOffsets(admin, found)
      return found
    })
  )
  if (options.json === true) write(JSON.stringify(rewinds.map(jsonOf)))
  else for (const line of linesOf(rewinds, execute)) write(line)
  return rewinds.every(({ lost }) => lost === 0n)
}

async function resetOffsets(admin: KafkaAdmin, rewinds: readonly Rewind[]): Promise<void> {
  for (const [group, own] of Map.groupBy(rewinds, (rewind) => rewind.group)) {
    for (const [topic, places] of Map.groupBy(own, (rewind) => rewind.topic)) {
      const targets = new Map(places.map(({ partition, target }) => [partition, target]))
      await admin.setCommitted(group, topic, targets)
    }
  }
}

function jsonOf(rewind: Rewind) {
  const { group, topic, partition, committed, target, messages, lost } = rewind
  const numbers = { committed, target, messages, lost }
  const texts = Object.entries(numbers).map(([name, value]) => [name, Number(value)])
  return { group, topic, partition, ...Object.fromEntries(texts) } as Record<string, unknown>
}

const beyondEnd =
  'The database has offsets beyond the end of a topic: the topic was recreated, or belongs ' +
  'to another Kafka cluster. Such partitions are read again from the start; duplicates are ' +
  'detected by identity.'
const head = ['group', 'topic', 'partition', 'committed', 'target', 'messages', 'lost']

function linesOf(rewinds: readonly Rewind[], isDone: boolean): string[] {
  if (rewinds.length === 0) return ['No group is ahead of the database. There is nothing to do.']
  const lost = rewinds.reduce((sum, rewind) => sum + rewind.lost, 0n)
  return [
    ...formatTable([head, ...rewinds.map(cellsOf)]),
    ...(lost === 0n
      ? []
      : [`${lost} messages are lost: neither the database nor the topic has them.`]),
    ...(rewinds.some(isBeyondEnd) ? [beyondEnd] : []),
    isDone
      ? 'The offsets were reset. Start storage, then evaluation once storage has caught up.'
      : 'Dry run: no offsets were reset. Stop storage and evaluation, then add --execute.'
  ]
}

function cellsOf(rewind: Rewind): string[] {
  const { group, topic, partition, committed, target, messages, lost } = rewind
  return [group, topic, ...[partition, committed, target, messages, lost].map(String)]
}
