/** Marks dead-letter records as replayed or dropped, and reads these marks. */
import type { Message } from '../platform/kafka/message-consumer.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'

type RecordAction = 'replayed' | 'dropped'
export type RecordState = 'open' | RecordAction

/**
 * Position of a dead-letter record. The timestamp distinguishes the record from one in an earlier
 * topic with the same name.
 */
export type RecordPosition = Pick<Message, 'topic' | 'partition' | 'offset' | 'timestamp'>

/**
 * Returns one state per position, in the order of the positions. All positions must be in the same
 * topic.
 */
export async function selectStates(
  postgres: Queryable,
  positions: readonly RecordPosition[]
): Promise<RecordState[]> {
  if (positions.length === 0) return []
  const rows = await postgres.query<{ action: RecordAction | null }>(
    `select marks.action
       from unnest($2::integer[], $3::bigint[], $4::timestamptz[])
            with ordinality as position (partition, letter_offset, written_at, ordinal)
       left join dead_letter_marks marks
         on marks.topic = $1
        and marks.partition = position.partition
        and marks.letter_offset = position.letter_offset
        and marks.written_at = position.written_at
      order by position.ordinal`,
    valuesOf(positions)
  )
  return rows.map(({ action }) => action ?? 'open')
}

interface Marking {
  readonly action: RecordAction
  readonly by: string
}

/**
 * Inserts marks, and changes the state of the records in the index that the API reads. A record
 * keeps its first mark.
 * @param transaction the transaction that makes both changes
 */
export async function insertMarks(
  transaction: Queryable,
  positions: readonly RecordPosition[],
  { action, by }: Marking
): Promise<void> {
  if (positions.length === 0) return
  const values = [...valuesOf(positions), action, by]
  // Waits until storage has committed new rows of the index, so that the next statement finds them.
  await transaction.query('lock table dead_letter_marks in row exclusive mode')
  await transaction.query(
    `update dead_letters d
        set state = $5, handled_at = now(), handled_by = $6, requested_action = null, failure = null
       from unnest($2::integer[], $3::bigint[], $4::timestamptz[])
            as position (partition, letter_offset, written_at)
      where d.topic = $1
        and d.partition = position.partition
        and d.letter_offset = position.letter_offset
        and d.written_at = position.written_at
        and d.state = 'open'`,
    values
  )
  await transaction.query(
    `insert into dead_letter_marks (topic, partition, letter_offset, written_at, action, marked_by)
     select $1, position.*, $5, $6
       from unnest($2::integer[], $3::bigint[], $4::timestamptz[]) as position
     on conflict do nothing`,
    values
  )
}

function valuesOf(positions: readonly RecordPosition[]): unknown[] {
  return [
    positions[0]?.topic,
    positions.map(({ partition }) => partition),
    positions.map(({ offset }) => String(offset)),
    positions.map(({ timestamp }) => new Date(timestamp))
  ]
}
