/** Reads pages of lists with filters that no index supports, scanning a limited number of rows.
 *
 * A selective filter could otherwise scan the whole table for one page. A page that reaches the
 * limit ends early: it can be short or even empty although more pages follow.
 */
import { formatCursor } from '../../core/cursor.ts'
import type { CursorPosition, Filters } from '../../core/cursor.ts'
import { and, query, raw, sql } from '../../platform/postgres/sql.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { positionOf, rangeOf, sortKey } from '../page.ts'
import type { TimePage } from '../page.ts'
import type { OrganizationStore } from '../store.ts'
import type { TimeTexts } from '../time-range.ts'

/** Sort key of a row. Lists are sorted newest first. */
export interface KeyedRow {
  /** Time of the row, with microseconds. */
  readonly sort_key: string
  readonly decision_id: string
}

/** A requested page of a list that is sorted by time, decision and row id. */
export interface ResultPage<F extends object = object> extends TimePage {
  readonly filters: F
  /** The filters as texts. A cursor is only valid with the same filters. */
  readonly texts: Filters
  readonly limit: number
}

/** @throws {Problem} 422 for an invalid time range or cursor */
export function resultPageOf<F extends TimeTexts>(
  { cursor, limit, ...filters }: F & { readonly cursor?: string; readonly limit: number },
  now: number
) {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  const texts = Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
  return {
    filters,
    texts,
    limit,
    range: rangeOf(filters, now),
    after: positionOf(cursor, texts, 2)
  }
}

/** Columns that rows are sorted by: `time`, `decision_id` and `id`. */
interface RowOrder {
  readonly time: string
  readonly id: string
}

interface BoundedQuery extends RowOrder {
  /**
   * Tables or views to merge by time. A condition restricts the scan, for example to the rows of a
   * partial index.
   */
  readonly sources: readonly { readonly table: Sql; readonly condition?: Sql | null }[]
  /** Columns to select from the row `s`. */
  readonly columns: Sql
  /** Conditions checked row by row, on the row `s`. */
  readonly filters: Sql
}

export interface BoundedRows<R> {
  readonly rows: readonly R[]
  /** Position up to which the page is complete; null if there are no further rows. */
  readonly endsAt: CursorPosition | null
}

/** Maximum number of rows scanned per source and page. */
export const scannedMax = 20_000

/** Reads one row more than the page shows, so that `mergePages` knows whether there are more. */
export async function readBoundedRows<R extends KeyedRow>(
  store: OrganizationStore,
  page: ResultPage,
  bounded: BoundedQuery
): Promise<BoundedRows<R>> {
  const { sources, columns, filters } = bounded
  const rowsMax = page.limit + 1
  const [time, id] = [raw(bounded.time), raw(bounded.id)]
  const orderBy = (key: Sql) => sql`order by s.${key} desc, s.decision_id desc, s.${id} desc`
  const ours = sql`organization_id = ${store.organizationId}`
  const indexed = [ours, pageConditions(page, bounded)]
  const scans = sources.map(
    ({ table, condition = null }) => sql`select *
               from ${table}
              where ${and([...indexed, condition])}
              order by ${time} desc, decision_id desc, ${id} desc
              limit ${raw(scannedMax)}`
  )
  const found = scans.map(
    (scan) => sql`(select ${columns}, ${sortKey(sql`s.${time}`)}
       from (${scan}) as s
      where ${filters}
      ${orderBy(time)}
      limit ${raw(rowsMax)})`
  )
  const rows = await query<R>(
    store,
    sql`select s.*
       from (${unionOf(found)}) as s
      ${orderBy(sql`sort_key`)}
      limit ${raw(rowsMax)}`
  )
  const last = rows.at(-1)
  if (last !== undefined && rows.length === rowsMax) {
    return { rows, endsAt: placeOf(last, String(last[bounded.id as keyof R])) }
  }
  const ends = scans.map(
    (scan) => sql`(select ${sortKey(sql`s.${time}`)}, s.decision_id, s.${id} as own_id
       from (${scan}) as s
      ${orderBy(time)}
     offset ${raw(scannedMax - 1)}
      limit 1)`
  )
  const [end] = await query<KeyedRow & { readonly own_id: string }>(
    store,
    // The page ends at the first position where a source reaches its limit.
    sql`select s.*
       from (${unionOf(ends)}) as s
      order by s.sort_key desc, s.decision_id desc, s.own_id desc
      limit 1`
  )
  return { rows, endsAt: end === undefined ? null : placeOf(end, end.own_id) }
}

function unionOf(parts: readonly Sql[]): Sql {
  return parts.reduce((all, part) => sql`${all} union all ${part}`)
}

function placeOf({ sort_key, decision_id }: KeyedRow, ownId: string): CursorPosition {
  return { sort_key, id: `${decision_id}/${ownId}` }
}

/**
 * Returns conditions that restrict rows to the time range and to those after the cursor. The first
 * condition on the cursor is redundant but can use the index: the ids of packed runs are computed,
 * so the index does not contain them.
 */
export function pageConditions({ range, after }: TimePage, order: RowOrder): Sql {
  const [time, id] = [raw(order.time), raw(order.id)]
  const [decisionId, ownId] = after?.id.split('/') ?? []
  const decision = sql`${after?.sort_key}::timestamptz, ${decisionId}::uuid`
  return and([
    sql`${time} >= ${range.from.toISOString()}::timestamptz`,
    range.to && sql`${time} < ${range.to.toISOString()}::timestamptz`,
    after && sql`(${time}, decision_id) <= (${decision})`,
    after && sql`(${time}, decision_id, ${id}) < (${decision}, ${ownId}::uuid)`
  ])
}

/**
 * Combines the conditions of the filters that are set.
 * @param conditions the conditions by filter name, for example `s.value >=`
 */
export function filterConditions<F extends object>(
  filters: F,
  conditions: Readonly<Partial<Record<keyof F, string>>>
): Sql {
  const names = Object.keys(conditions) as (keyof F)[]
  return and(
    names.map((name) => {
      const value = filters[name]
      return value === undefined ? null : sql`${raw(conditions[name] ?? '')} ${value}`
    })
  )
}

/**
 * Merges sources into one page. If a source was not read completely, rows past the position where
 * it ended are left for the next page.
 */
export function mergePages<R extends KeyedRow>(
  sources: readonly BoundedRows<R>[],
  { limit, texts }: Pick<ResultPage, 'limit' | 'texts'>,
  idOf: (row: R) => string
) {
  const keyOf = ({ sort_key, id }: CursorPosition): string => `${sort_key} ${id}`
  const [end = null] = sources
    .flatMap(({ endsAt }) => endsAt ?? [])
    .toSorted((left, right) => (keyOf(left) < keyOf(right) ? 1 : -1))
  const rows = sources
    .flatMap((source) => source.rows.map((row) => ({ row, place: placeOf(row, idOf(row)) })))
    .filter(({ place }) => end === null || keyOf(place) >= keyOf(end))
    .toSorted((left, right) => (keyOf(left.place) < keyOf(right.place) ? 1 : -1))
  const page = rows.slice(0, limit)
  const next = rows.length > limit ? (page.at(-1)?.place ?? end) : end
  return {
    data: page.map(({ row: { sort_key: _, ...row } }) => row),
    meta: { next_cursor: next === null ? null : formatCursor(next, texts), limit }
  }
}
