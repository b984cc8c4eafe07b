/** Which dead letters somebody has dealt with. */
import type { Message } from '../../platform/kafka/message-consumer.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'

export type LetterAction = 'replayed' | 'dropped'
export type LetterState = 'open' | LetterAction

/** Where a letter lies. The time tells it from one in a topic of the same name before. */
export type LetterPlace = Pick<Message, 'topic' | 'partition' | 'offset' | 'timestamp'>

/** One state for each letter, in their order; they are of one topic. */
export async function selectStates(
  postgres: Queryable,
  letters: readonly LetterPlace[]
): Promise<LetterState[]> {
  if (letters.length === 0) return []
  const rows = await postgres.query<{ action: LetterAction | null }>(
    `select marks.action
       from unnest($2::integer[], $3::bigint[], $4::timestamptz[])
            with ordinality as letter (partition, letter_offset, written_at, place)
       left join dead_letter_marks marks
         on marks.topic = $1
        and marks.partition = letter.partition
        and marks.letter_offset = letter.letter_offset
        and marks.written_at = letter.written_at
      order by letter.place`,
    valuesOf(letters)
  )
  return rows.map(({ action }) => action ?? 'open')
}

export interface Marking {
  readonly action: LetterAction
  readonly by: string
}

/** A letter that is marked already keeps the first mark. */
export async function insertMarks(
  postgres: Queryable,
  letters: readonly LetterPlace[],
  { action, by }: Marking
): Promise<void> {
  if (letters.length === 0) return
  await postgres.query(
    `insert into dead_letter_marks (topic, partition, letter_offset, written_at, action, marked_by)
     select $1, letter.*, $5, $6
       from unnest($2::integer[], $3::bigint[], $4::timestamptz[]) as letter
     on conflict do nothing`,
    [...valuesOf(letters), action, by]
  )
}

function valuesOf(letters: readonly LetterPlace[]): unknown[] {
  return [
    letters[0]?.topic,
    letters.map(({ partition }) => partition),
    letters.map(({ offset }) => String(offset)),
    letters.map(({ timestamp }) => new Date(timestamp))
  ]
}
