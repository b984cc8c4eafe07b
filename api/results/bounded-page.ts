/** A page of a list whose filters no index serves: it looks at a limited number of rows.
 *
 * A filter that few rows pass would otherwise read all rows. So a page ends where the limit is
 * reached: it may be short or empty, and still have a next page.
 */
import type { CursorPosition } from '../../core/cursor.ts'
import type { Row } from '../../platform/postgres/postgres.ts'
import type { OrganizationStore } from '../store.ts'
import type { TimePage } from '../time-page.ts'

/** Newest first, so a row that comes later in the list is further back in time. */
export interface Keyed {
  /** The time of the row, in microseconds. */
  readonly sort_key: string
  readonly decision_id: string
}

/** The texts contain nothing of a caller: what callers send is in `values`. */
export interface BoundedQuery {
  /** Tables or views whose rows are merged by time. */
  readonly sources: readonly BoundedSource[]
  /** Columns of the answer, of a row that is called `s`. */
  readonly columns: string
  /** The columns of the time and of the row's own id; an index orders rows by time and decision. */
  readonly time: string
  readonly id: string
  /** Conditions that the index serves, and conditions that are checked row by row. */
  readonly indexed: readonly string[]
  readonly filters: readonly string[]
  readonly values: readonly unknown[]
  readonly rowsMax: number
}

export interface BoundedSource {
  readonly table: string
  /** Limits its rows, for example to those of a partial index. */
  readonly condition?: string
}

export interface BoundedRows<R> {
  readonly rows: readonly R[]
  /** All rows up to this position are in `rows`; null if no others exist. */
  readonly endsAt: CursorPosition | null
}

/** Rows of each source that one page looks at. */
export const scannedMax = 20_000

export async function readBoundedRows<R extends Keyed & Row>(
  store: OrganizationStore,
  query: BoundedQuery
): Promise<BoundedRows<R>> {
  const { sources, time, id, filters, rowsMax } = query
  const orderBy = (column: string): string =>
    `order by s.${column} desc, s.decision_id desc, s.${id} desc`
  const found = sources.map(
    (source) => `(select ${query.columns}, s.${time} as ordered_at
       from (${scannedBy(query, source)}) as s
      where ${['true', ...filters].join('\n        and ')}
      ${orderBy(time)}
      limit ${rowsMax})`
  )
  const rows = await store.query<R>(
    `select s.*, ${sortKeyOf('ordered_at')} as sort_key
       from (${found.join('\n union all ')}) as s
      ${orderBy('ordered_at')}
      limit ${rowsMax}`,
    query.values
  )
  if (rows.length === rowsMax) return { rows, endsAt: positionOf(rows.at(-1), id) }
  const ends = sources.map(
    (source) => `(select ${sortKeyOf(time)} as sort_key, s.decision_id, s.${id}
       from (${scannedBy(query, source)}) as s
      ${orderBy(time)}
     offset ${scannedMax - 1}
      limit 1)`
  )
  const scannedTexts = sources.map((source) => scannedBy(query, source)).join()
  const last = await store.query<Keyed & Row>(
    // Of several sources, the one whose limit is reached first.
    `select s.*
       from (${ends.join('\n union all ')}) as s
      order by s.sort_key desc, s.decision_id desc, s.${id} desc
      limit 1`,
    // Without parameters that it does not use: Postgres could not infer their types.
    query.values.slice(0, highestParameterOf(scannedTexts))
  )
  return { rows, endsAt: positionOf(last[0], id) }
}

function sortKeyOf(column: string): string {
  return `to_char(s.${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

function scannedBy(
  { time, id, indexed }: BoundedQuery,
  { table, condition = 'true' }: BoundedSource
): string {
  return `select *
               from ${table}
              where ${[...indexed, condition].join('\n                and ')}
              order by ${time} desc, decision_id desc, ${id} desc
              limit ${scannedMax}`
}

function highestParameterOf(statement: string): number {
  return Math.max(0, ...[...statement.matchAll(/\$(\d+)/g)].map(([, digits]) => Number(digits)))
}

function positionOf(row: (Keyed & Row) | undefined, id: string): CursorPosition | null {
  if (row === undefined) return null
  return { sort_key: row.sort_key, id: `${row.decision_id}/${String(row[id])}` }
}

/** Conditions on the time range and the start of a page. */
export function pageConditions(
  { range, after }: TimePage,
  { time, id }: Pick<BoundedQuery, 'time' | 'id'>,
  parameter: (value: unknown) => string
): readonly string[] {
  return [
    `${time} >= ${parameter(range.from.toISOString())}::timestamptz`,
    ...(range.to === null ? [] : [`${time} < ${parameter(range.to.toISOString())}::timestamptz`]),
    ...(after === null ? [] : behind(after, { time, id }, parameter))
  ]
}

/** Ids of packed runs are computed: it is the condition without them that an index serves. */
function behind(
  { sort_key, id: place }: CursorPosition,
  { time, id }: Pick<BoundedQuery, 'time' | 'id'>,
  parameter: (value: unknown) => string
): readonly string[] {
  const [decisionId, ownId] = place.split('/')
  const decision = `${parameter(sort_key)}::timestamptz, ${parameter(decisionId)}::uuid`
  return [
    `(${time}, decision_id) <= (${decision})`,
    `(${time}, decision_id, ${id}) < (${decision}, ${parameter(ownId)}::uuid)`
  ]
}

export interface Page<R> {
  readonly rows: readonly R[]
  /** Null on the last page. */
  readonly next: CursorPosition | null
}

/**
 * Merges sources into one page. Each source was read with a limit of at least one row more than
 * the page has. Rows after the first end of a source are left to the next page.
 */
export function pageOf<R extends Keyed>(
  sources: readonly BoundedRows<R>[],
  { limit, idOf }: { limit: number; idOf: (row: R) => string }
): Page<R> {
  const placeOf = (row: R) => ({ sort_key: row.sort_key, id: `${row.decision_id}/${idOf(row)}` })
  const keyOf = ({ sort_key, id }: CursorPosition): string => `${sort_key} ${id}`
  const ends = sources.flatMap(({ endsAt }) => (endsAt === null ? [] : [endsAt]))
  const [end = null] = ends.toSorted((left, right) => (keyOf(left) < keyOf(right) ? 1 : -1))
  const isComplete = (row: R): boolean => end === null || keyOf(placeOf(row)) >= keyOf(end)
  const rows = sources
    .flatMap((source) => source.rows)
    .filter(isComplete)
    .toSorted((left, right) => (keyOf(placeOf(left)) < keyOf(placeOf(right)) ? 1 : -1))
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  if (rows.length <= limit || last === undefined) return { rows: page, next: end }
  return { rows: page, next: placeOf(last) }
}
