/** `sluice rewind`: after the database was restored, sets the groups back to what it knows. */
import { layOut } from '../../core/lay-out.ts'
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import type { KafkaAdmin } from '../../platform/kafka/kafka-admin.ts'
import { kafkaSettingNames } from '../../platform/kafka/kafka-security.ts'
import { findRewinds, isOfAnotherTopic } from '../rewind/find-rewinds.ts'
import type { Rewind } from '../rewind/find-rewinds.ts'
import { readStandings } from '../rewind/read-standings.ts'
import { withAdmin } from '../with-admin.ts'
import { withPostgres } from '../with-postgres.ts'

export interface RewindOptions {
  readonly execute?: boolean
  readonly json?: boolean
}

/** @returns false when messages are gone that the database lacks. */
export async function rewind(
  environment: Environment,
  options: RewindOptions,
  write: (line: string) => void
): Promise<boolean> {
  const config = readConfig(environment, [
    ...kafkaSettingNames,
    ...(['DATABASE_URL', 'DATABASE_TLS_CA', 'DECISIONS_TOPIC', 'EVALUATIONS_TOPIC'] as const),
    ...(['STORAGE_GROUP_ID', 'EVALUATION_GROUP_ID'] as const)
  ])
  const execute = options.execute === true
  const rewinds = await withAdmin(config, (admin) =>
    withPostgres(config, async (postgres) => {
      const found = findRewinds(await readStandings({ admin, postgres }, config))
      if (execute) await setBack(admin, found)
      return found
    })
  )
  if (options.json === true) write(JSON.stringify(rewinds.map(jsonOf)))
  else for (const line of linesOf(rewinds, execute)) write(line)
  return rewinds.every(({ gone }) => gone === 0n)
}

async function setBack(admin: KafkaAdmin, rewinds: readonly Rewind[]): Promise<void> {
  for (const [group, own] of Map.groupBy(rewinds, (rewind) => rewind.group)) {
    for (const [topic, places] of Map.groupBy(own, (rewind) => rewind.topic)) {
      const targets = new Map(places.map(({ partition, target }) => [partition, target]))
      await admin.setCommitted(group, topic, targets)
    }
  }
}

function jsonOf(rewind: Rewind) {
  const { group, topic, partition, committed, target, messages, gone } = rewind
  const numbers = { committed, target, messages, gone }
  const texts = Object.entries(numbers).map(([name, value]) => [name, Number(value)])
  return { group, topic, partition, ...Object.fromEntries(texts) } as Record<string, unknown>
}

const ofAnotherTopic =
  'The database knows offsets that a topic has not reached: it was made anew, or is of another ' +
  'Kafka. Of such a partition all is read again, and what is stored is settled by identity.'
const head = ['group', 'topic', 'partition', 'committed', 'back to', 'messages', 'gone']

function linesOf(rewinds: readonly Rewind[], isDone: boolean): string[] {
  if (rewinds.length === 0) return ['No group is ahead of the database: there is nothing to do.']
  const gone = rewinds.reduce((sum, rewind) => sum + rewind.gone, 0n)
  return [
    ...layOut([head, ...rewinds.map(cellsOf)]),
    ...(gone === 0n ? [] : [`${gone} messages are lost: neither database nor topic has them.`]),
    ...(rewinds.some(isOfAnotherTopic) ? [ofAnotherTopic] : []),
    isDone
      ? 'Set back. Start storage, and evaluation once storage has caught up.'
      : 'Nothing was set back; --execute does it, while storage and evaluation are stopped.'
  ]
}

function cellsOf(rewind: Rewind): string[] {
  const { group, topic, partition, committed, target, messages, gone } = rewind
  return [group, topic, ...[partition, committed, target, messages, gone].map(String)]
}
