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

/** A table or view to read. */
interface BoundedSource {
  readonly table: Sql
  /** The column that gives the time of a row. */
  readonly time: string
  /** Restricts the scan, for example to the rows of a partial index. */
  readonly condition?: Sql | null
  /** Columns to select from the row `s`. */
  readonly columns: Sql
}

interface BoundedQuery {
  readonly sources: readonly BoundedSource[]
  /** The column that identifies a row within its decision. */
  readonly id: string
  /** Conditions checked row by row, on the row `s`. */
  readonly filters: Sql
}

export interface BoundedRows<R> {
  readonly rows: readonly R[]
  /** Position up to which the rows are complete; null if there are no further rows. */
  readonly endsAt: CursorPosition | null
}

/** Maximum number of rows scanned per source and page. */
export const scannedMax = 20_000

/**
 * Reads the sources one after the other and merges them by time. A row that moves to a later source
 * in between is listed as the later source has it.
 */
export async function readBoundedPage<R extends KeyedRow>(
  store: OrganizationStore,
  page: ResultPage,
  { sources, id, filters }: BoundedQuery
) {
  const read: BoundedRows<R>[] = []
  for (const source of sources) {
    read.push(await readSource<R>(store, page, { ...source, id, filters }))
  }
  return mergePages(read, page, (row) => String(row[id as keyof R]))
}

/** Reads one row more than the page shows, so that `mergePages` knows whether there are more. */
async function readSource<R extends KeyedRow>(
  store: OrganizationStore,
  page: ResultPage,
  source: BoundedSource & Omit<BoundedQuery, 'sources'>
): Promise<BoundedRows<R>> {
  const { table, condition = null, columns, filters } = source
  const rowsMax = page.limit + 1
  const [time, id] = [raw(source.time), raw(source.id)]
  const ours = sql`organization_id = ${store.organizationId}`
  const scan = sql`(select *
               from ${table}
              where ${and([ours, pageConditions(page, source), condition])}
              order by ${time} desc, decision_id desc, ${id} desc
              limit ${raw(scannedMax)}) as s`
  const order = sql`order by s.${time} desc, s.decision_id desc, s.${id} desc`
  const rows = await query<R>(
    store,
    sql`select ${columns}, ${sortKey(sql`s.${time}`)}
       from ${scan}
      where ${filters}
      ${order}
      limit ${raw(rowsMax)}`
  )
  const last = rows.at(-1)
  if (last !== undefined && rows.length === rowsMax) {
    return { rows, endsAt: placeOf(last, String(last[source.id as keyof R])) }
  }
  const [end] = await query<KeyedRow & { readonly own_id: string }>(
    store,
    sql`select ${sortKey(sql`s.${time}`)}, s.decision_id, s.${id} as own_id
       from ${scan}
      ${order}
     offset ${raw(scannedMax - 1)}
      limit 1`
  )
  return { rows, endsAt: end === undefined ? null : placeOf(end, end.own_id) }
}

function placeOf({ sort_key, decision_id }: KeyedRow, ownId: string): CursorPosition {
  return { sort_key, id: `${decision_id}/${ownId}` }
}

/**
 * Returns conditions that restrict rows to the time range and to those after the cursor. The first
 * condition on the cursor is redundant, but it can use the index. The second cannot, because the
 * ids of packed runs are computed and therefore not in the index.
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
 * Merges sources into one page. If a row is in two sources, the later source takes precedence. If a
 * source was not read completely, rows past the position where it ended are left for the next page.
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
  const places = sources.flatMap((source) =>
    source.rows.map((row) => ({ row, place: placeOf(row, idOf(row)) }))
  )
  const latest = new Map(places.map((each) => [each.place.id, each]))
  const rows = [...latest.values()]
    .filter(({ place }) => end === null || keyOf(place) >= keyOf(end))
    .toSorted((left, right) => (keyOf(left.place) < keyOf(right.place) ? 1 : -1))
  const page = rows.slice(0, limit)
  const next = rows.length > limit ? (page.at(-1)?.place ?? end) : end
  return {
    data: page.map(({ row: { sort_key: _, ...row } }) => row),
    meta: { next_cursor: next === null ? null : formatCursor(next, texts), limit }
  }
}
