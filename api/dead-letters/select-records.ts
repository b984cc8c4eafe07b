/** Selects the dead-letter records that a request replays or drops, oldest first. */
import { and, query, sql } from '../../platform/postgres/sql.ts'
import { invalidBody } from '../configuration/problems.ts'
import { filterConditions, scannedMax } from '../results/bounded-page.ts'
import type { OrganizationStore } from '../store.ts'
import { readTimeRange } from '../time-range.ts'
import type { TimeRange } from '../time-range.ts'
import type { ActionRow } from './action-results.ts'
import { filterColumns } from './queries.ts'
import { matchedMax, recordsMax } from './schemas.ts'
import type { ActionRequest } from './schemas.ts'

export interface Selection {
  readonly rows: readonly ActionRow[]
  /** Requested ids that do not exist in the organization. */
  readonly unknown: readonly string[]
  readonly matched: number
  readonly more_than_matched: boolean
  /** Number of matching records that are not selected. */
  readonly left: number
}

const columns = sql`s.dead_letter_id, s.reason, s.state, s.requested_action, s.failure`

export function selectByIds(
  ours: OrganizationStore,
  ids: readonly string[]
): Promise<readonly ActionRow[]> {
  return query<ActionRow>(
    ours,
    sql`select ${columns}
          from dead_letters s
         where s.organization_id = ${ours.organizationId}
           and s.dead_letter_id = any(${ids}::uuid[])
         order by s.written_at, s.dead_letter_id`
  )
}

interface FilterOptions {
  readonly filter: NonNullable<ActionRequest['filter']>
  /** Reasons to skip. */
  readonly excluded: readonly string[]
  readonly now: number
}

/**
 * Selects matching open records without a request. Checks only the oldest `scannedMax` open records
 * of the time range.
 */
export async function selectByFilter(
  ours: OrganizationStore,
  { filter, excluded, now }: FilterOptions
): Promise<Selection> {
  const range = rangeOf(filter, now)
  const rows = await query<ActionRow>(
    ours,
    sql`select ${columns}
          from (select *
                  from dead_letters
                 where ${and([
                   sql`organization_id = ${ours.organizationId}`,
                   sql`state = 'open'`,
                   sql`written_at >= ${range.from}`,
                   range.to && sql`written_at < ${range.to}`
                 ])}
                 order by written_at, decision_id, dead_letter_id
                 limit ${scannedMax}) as s
         where ${and([
           sql`s.requested_action is null`,
           sql`s.reason <> all(${excluded}::text[])`,
           filterConditions(filter, filterColumns)
         ])}
         order by s.written_at, s.dead_letter_id
         limit ${matchedMax + 1}`
  )
  const matched = Math.min(rows.length, matchedMax)
  const selected = rows.slice(0, recordsMax)
  return {
    rows: selected,
    unknown: [],
    matched,
    more_than_matched: rows.length > matchedMax,
    left: matched - selected.length
  }
}

function rangeOf(filter: FilterOptions['filter'], now: number): TimeRange {
  const read = readTimeRange(filter, now)
  if (read.kind === 'range') return read.range
  throw invalidBody(
    read.errors.map(({ pointer, detail }) => ({ pointer: `/filter${pointer}`, detail }))
  )
}
