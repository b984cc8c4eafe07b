/** Reads dead-letter records from their index in Postgres. */
import { and, query, sql } from '../../platform/postgres/sql.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { filterConditions, pageConditions, readBoundedPage } from '../results/bounded-page.ts'
import type { KeyedRow, ResultPage } from '../results/bounded-page.ts'
import { scannedMax } from '../results/bounded-page.ts'
import type { OrganizationStore } from '../store.ts'
import { matchedMax } from './schemas.ts'
import type { DeadLetterFilters } from './schemas.ts'

export interface IndexedDeadLetter {
  readonly dead_letter_id: string
  readonly state: 'open' | 'replayed' | 'dropped'
  readonly reason: string
  readonly step: string
  readonly error: string
  readonly decision_id: string
  readonly agent_id: string | null
  readonly received_at: Date | null
  readonly written_at: Date
  readonly group_id: string
  readonly topic: string
  readonly partition: number
  readonly origin_topic: string
  readonly origin_partition: number
  readonly value_bytes: number
  readonly requested_action: 'replay' | 'drop' | null
  readonly failure: string | null
  readonly handled_at: Date | null
  readonly handled_by: string | null
  readonly attempts: number
  readonly failed_again_as: string | null
}

/** Matches the row `other` if the same group wrote it for the same message as the row `s`. */
const isSameMessage = sql`other.organization_id = s.organization_id
                and other.content_hash = s.content_hash
                and other.topic = s.topic
                and other.group_id = s.group_id`

/**
 * Columns of the row `s`. Records with the same origin count as one attempt, because a consumer
 * that crashes may write its dead-letter record twice.
 */
const columns = sql`s.dead_letter_id, s.state, s.reason, s.step, s.error, s.decision_id, s.agent_id,
            s.received_at, s.written_at, s.group_id, s.topic, s.partition,
            s.origin_topic, s.origin_partition, s.value_bytes, s.requested_action,
            s.failure, s.handled_at, s.handled_by,
            (select count(distinct (other.origin_partition, other.origin_offset))::integer
               from dead_letters other
              where ${isSameMessage}
                and other.written_at <= s.written_at) as attempts,
            (select other.dead_letter_id
               from dead_letters other
              where ${isSameMessage}
                and s.state = 'replayed'
                and (other.origin_partition, other.origin_offset)
                    <> (s.origin_partition, s.origin_offset)
                and other.written_at > s.written_at
              order by other.written_at
              limit 1) as failed_again_as`

/** Conditions on the row `s`, by filter. */
export const filterColumns = {
  reason: 's.reason =',
  step: 's.step =',
  agent_id: 's.agent_id ='
}
const rowOrder = { time: 'written_at', id: 'dead_letter_id' }
const isOpen = sql`state = 'open'`

/** Reads a page of records, newest first. */
export function readRecordPage(store: OrganizationStore, page: ResultPage<DeadLetterFilters>) {
  return readBoundedPage<IndexedDeadLetter & KeyedRow>(store, page, {
    sources: [{ table: sql`dead_letters`, time: 'written_at', condition: openOf(page), columns }],
    id: 'dead_letter_id',
    filters: conditionsOf(page)
  })
}

/**
 * Counts the matching records on all pages, up to `matchedMax`. Checks only the newest `scannedMax`
 * records of the range.
 */
export async function countRecords(
  store: OrganizationStore,
  page: ResultPage<DeadLetterFilters>
): Promise<{ readonly matched: number; readonly more_than_matched: boolean }> {
  const scanned = [
    sql`organization_id = ${store.organizationId}`,
    pageConditions({ range: page.range, after: null }, rowOrder),
    openOf(page)
  ]
  const [row] = await query<{ found: number }>(
    store,
    sql`select count(*)::integer as found
          from (select
                  from (select *
                          from dead_letters
                         where ${and(scanned)}
                         order by written_at desc, decision_id desc, dead_letter_id desc
                         limit ${scannedMax}) as s
                 where ${conditionsOf(page)}
                 limit ${matchedMax + 1}) as matching`
  )
  const found = row?.found ?? 0
  return { matched: Math.min(found, matchedMax), more_than_matched: found > matchedMax }
}

function conditionsOf({ filters }: ResultPage<DeadLetterFilters>): Sql {
  return filterConditions(filters, { ...filterColumns, state: 's.state =' })
}

/**
 * Returns the condition that limits a scan to the partial index of open records; null unless the
 * filter selects only open records.
 */
function openOf({ filters }: ResultPage<DeadLetterFilters>): Sql | null {
  return filters.state === 'open' ? isOpen : null
}

/** Content of a record in addition to the members of the list. */
interface ContentRow extends IndexedDeadLetter {
  readonly headers: string
  readonly key: Buffer | null
  readonly value_start: Buffer
  readonly decoded: string | null
}

export async function findRecord(
  store: OrganizationStore,
  deadLetterId: string
): Promise<ContentRow | null> {
  const [row] = await query<ContentRow>(
    store,
    sql`select ${columns}, s.headers, s.key, s.value_start, s.decoded
          from dead_letters s
         where s.organization_id = ${store.organizationId}
           and s.dead_letter_id = ${deadLetterId}`
  )
  return row ?? null
}
