/** Reads the positions of the consumer groups from Kafka and from the database. */
import type { Config } from '../../platform/config/config.ts'
import type { KafkaAdmin } from '../../platform/kafka/kafka-admin.ts'
import { evaluationsGroupOf } from '../../platform/kafka/storage-groups.ts'
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'
import type { GroupPosition } from './find-rewinds.ts'

type GroupNames = Config<
  'STORAGE_GROUP_ID' | 'EVALUATION_GROUP_ID' | 'DECISIONS_TOPIC' | 'EVALUATIONS_TOPIC'
>

export async function readGroupPositions(
  { admin, postgres }: { readonly admin: KafkaAdmin; readonly postgres: Queryable },
  names: GroupNames
): Promise<GroupPosition[]> {
  const { DECISIONS_TOPIC: decisions, EVALUATIONS_TOPIC: evaluations } = names
  const read = [
    [names.STORAGE_GROUP_ID, decisions],
    [evaluationsGroupOf(names.STORAGE_GROUP_ID), evaluations],
    [names.EVALUATION_GROUP_ID, decisions]
  ] as const
  const positions: GroupPosition[] = []
  for (const [group, topic] of read) {
    const committed = await admin.readCommitted(group, topic)
    const recorded = await readRecorded(postgres, group, topic)
    for (const { partition, begin, end } of await admin.readBounds(topic)) {
      positions.push({
        group,
        topic,
        partition,
        begin,
        end,
        committed: committed[partition] ?? -1n,
        recorded: recorded.get(partition) ?? null
      })
    }
  }
  return positions
}

interface RecordedRow extends Row {
  readonly partition: number
  readonly next_offset: string
}

async function readRecorded(postgres: Queryable, group: string, topic: string) {
  const rows = await postgres.query<RecordedRow>(
    `select partition, next_offset::text from consumed_offsets
      where group_id = $1 and topic = $2`,
    [group, topic]
  )
  return new Map(rows.map((row) => [row.partition, BigInt(row.next_offset)]))
}
