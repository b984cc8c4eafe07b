/** Indexes the new records of a dead-letter topic. */
import type { Clock } from '../../../core/clock.ts'
import type { FetchedRange, OffsetRange } from '../../../platform/kafka/topic-fetcher.ts'
import type { TopicReader } from '../../../platform/kafka/topic-reader.ts'
import { isTransientPostgresError } from '../../../platform/postgres/postgres.ts'
import type { Postgres, Queryable } from '../../../platform/postgres/postgres.ts'
import { findErased } from '../../../store/find-erased.ts'
import { readEntry } from './index-entry.ts'
import type { DecodeValue, IndexEntry } from './index-entry.ts'
import { insertEntries } from './insert-entries.ts'

interface IndexTopicOptions {
  readonly reader: TopicReader
  readonly postgres: Postgres
  readonly clock: Clock
  /** Name of the dead-letter topic. */
  readonly topic: string
  readonly originTopic: string
  readonly decode: DecodeValue
}

/**
 * Reads from the recorded positions to the end of the topic. Each fetched range is indexed together
 * with its position, in one transaction. Several instances may index the same records, because an
 * entry that exists stays unchanged.
 */
export async function indexTopic(options: IndexTopicOptions, signal: AbortSignal): Promise<void> {
  const { reader, postgres, clock, topic } = options
  const now = new Date(clock.now())
  const ranges = await reader.ranges(topic)
  const unread = resumeFrom(ranges, await readPositions(postgres, topic))
  for await (const fetched of reader.read(topic, unread, signal)) await indexRange(options, fetched)
  if (signal.aborted) return
  await recordPositions(postgres, { topic, ranges, now })
}

/** Returns the part of each range that is not indexed yet. */
function resumeFrom(
  ranges: readonly OffsetRange[],
  positions: ReadonlyMap<number, bigint>
): OffsetRange[] {
  return ranges.map((range) => {
    const next = positions.get(range.partition) ?? range.from
    // A position after the end belongs to an earlier topic with the same name.
    return { ...range, from: next < range.from || next > range.to ? range.from : next }
  })
}

async function indexRange(options: IndexTopicOptions, fetched: FetchedRange): Promise<void> {
  const { postgres, topic, originTopic, decode } = options
  const entries: IndexEntry[] = []
  for (const message of fetched.messages) {
    const entry = await readEntry(message, originTopic, decode)
    if (entry !== null) entries.push(entry)
  }
  const ranges = [{ partition: fetched.partition, to: fetched.to }]
  try {
    await postgres.transaction(async (transaction) => {
      if (entries.length > 0) await insertUnerased(transaction, entries)
      await recordPositions(transaction, { topic, ranges, now: null })
    })
  } catch (error) {
    if (isTransientPostgresError(error)) throw error
    await insertEach(postgres, entries)
    await recordPositions(postgres, { topic, ranges, now: null })
  }
}

/** Inserts the entries one by one, and skips those that Postgres permanently rejects. */
async function insertEach(postgres: Postgres, entries: readonly IndexEntry[]): Promise<void> {
  for (const entry of entries) {
    try {
      await postgres.transaction((transaction) => insertUnerased(transaction, [entry]))
    } catch (error) {
      // Skips the rejected entry, so only the operator sees its record. Retrying it would stop
      // indexing for all organizations.
      if (isTransientPostgresError(error)) throw error
    }
  }
}

/** Inserts the entries that no erasure covers, and applies existing marks to them. */
async function insertUnerased(
  transaction: Queryable,
  entries: readonly IndexEntry[]
): Promise<void> {
  const isErased = await findErased(transaction, entries)
  // Waits for transactions that insert marks: they would not find the new rows, and the statement
  // below would not find their marks.
  await transaction.query('lock table dead_letter_marks in share mode')
  await insertEntries(
    transaction,
    entries.filter((entry) => !isErased(entry))
  )
  await transaction.query(
    `update dead_letters d
        set state = m.action, handled_at = m.marked_at, handled_by = m.marked_by
       from dead_letter_marks m
      where d.organization_id = any ($1::uuid[])
        and d.dead_letter_id = any ($2::uuid[])
        and d.state = 'open'
        and (m.topic, m.partition, m.letter_offset, m.written_at)
            = (d.topic, d.partition, d.letter_offset, d.written_at)`,
    [
      [...new Set(entries.map(({ organization_id }) => organization_id))],
      entries.map(({ dead_letter_id }) => dead_letter_id)
    ]
  )
}

async function readPositions(
  postgres: Queryable,
  topic: string
): Promise<ReadonlyMap<number, bigint>> {
  const rows = await postgres.query<{ partition: number; next_offset: string }>(
    'select partition, next_offset::text from storage_progress where topic = $1',
    [topic]
  )
  return new Map(rows.map(({ partition, next_offset }) => [partition, BigInt(next_offset)]))
}

interface Progress {
  readonly topic: string
  readonly ranges: readonly Pick<OffsetRange, 'partition' | 'to'>[]
  /** Time up to which all records of the topic are indexed; null if some are still unread. */
  readonly now: Date | null
}

/** Records the end of each range as the next position. */
async function recordPositions(postgres: Queryable, { topic, ranges, now }: Progress) {
  await postgres.query(
    `insert into storage_progress as p (topic, partition, next_offset, as_of)
     select $1, range.partition, range.next_offset, coalesce($4::timestamptz, 'epoch')
       from unnest($2::integer[], $3::bigint[]) as range (partition, next_offset)
      order by range.partition
     on conflict (topic, partition) do update
        set next_offset = excluded.next_offset,
            as_of = greatest(p.as_of, excluded.as_of)`,
    [topic, ranges.map(({ partition }) => partition), ranges.map(({ to }) => String(to)), now]
  )
}
