/** A page of a list whose filters no index serves: so many rows are looked at, and no more.
 *
 * A filter that few rows pass would otherwise look at all of them. What is looked at ends the page
 * instead, which then may be short, or empty, and still have a next one.
 */
import type { CursorPosition } from '../../core/cursor.ts'
import type { Row } from '../../platform/postgres/postgres.ts'
import type { OrganizationStore } from '../store.ts'
import type { TimePage } from '../time-page.ts'

/** Newest first, so a row that comes later in the list is further back in time. */
export interface Keyed {
  /** When, with all its digits. */
  readonly sort_key: string
  readonly decision_id: string
}

/** What to read. The texts are ours; what a caller gave is among `values`, always. */
export interface BoundedQuery {
  /** Tables or views with the columns of the answer. */
  readonly sources: readonly BoundedSource[]
  /** Columns of the answer, of a row that is called `s`. */
  readonly columns: string
  /** Columns of time and id: an index orders the rows of an organization by time and decision. */
  readonly time: string
  readonly id: string
  /** Conditions that the index serves, and those that are looked at row by row. */
  readonly indexed: readonly string[]
  readonly filters: readonly string[]
  readonly values: readonly unknown[]
  readonly rowsMax: number
}

export interface BoundedSource {
  readonly table: string
  /** A condition on its rows, such as that of a partial index. */
  readonly also?: string
}

export interface BoundedRows<R> {
  readonly rows: readonly R[]
  /** Up to here all are in `rows`; null when there are no others. */
  readonly endsAt: CursorPosition | null
}

/** Of each source. */
export const scannedMax = 20_000

export async function readBoundedRows<R extends Keyed & Row>(
  store: OrganizationStore,
  query: BoundedQuery
): Promise<BoundedRows<R>> {
  const { sources, time, id, filters, rowsMax } = query
  const sortKey = `to_char(s.${time} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
  const order = `order by s.${time} desc, s.decision_id desc, s.${id} desc`
  const found = sources.map(
    (source) => `(select ${query.columns}, s.${time} as ordered_at
       from (${scannedBy(query, source)}) as s
      where ${['true', ...filters].join('\n        and ')}
      ${order}
      limit ${rowsMax})`
  )
  const rows = await store.query<R>(
    `select s.*, ${sortKey.replace(`s.${time}`, 's.ordered_at')} as sort_key
       from (${found.join('\n union all ')}) as s
      ${order.replace(`s.${time}`, 's.ordered_at')}
      limit ${rowsMax}`,
    query.values
  )
  if (rows.length === rowsMax) return { rows, endsAt: positionOf(rows.at(-1), id) }
  const ends = sources.map(
    (source) => `(select ${sortKey} as sort_key, s.decision_id, s.${id}
       from (${scannedBy(query, source)}) as s
      ${order}
     offset ${scannedMax - 1}
      limit 1)`
  )
  const scannedTexts = sources.map((source) => scannedBy(query, source)).join()
  const last = await store.query<Keyed & Row>(
    // Of several sources, the end that comes first.
    `select s.*
       from (${ends.join('\n union all ')}) as s
      order by s.sort_key desc, s.decision_id desc, s.${id} desc
      limit 1`,
    // Only those that it names: the server wants to know the type of each.
    query.values.slice(0, highestParameterOf(scannedTexts))
  )
  return { rows, endsAt: positionOf(last[0], id) }
}

function scannedBy({ time, id, indexed }: BoundedQuery, { table, also }: BoundedSource): string {
  return `select *
               from ${table}
              where ${[...indexed, also ?? 'true'].join('\n                and ')}
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

/** Conditions on time and place of a page, for the rows of one organization. */
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
 * One page of several sources, of each of which at least one row more was asked for than the page
 * has. What lies behind the nearest end of a source is left to the next page.
 */
export function pageOf<R extends Keyed>(
  sources: readonly BoundedRows<R>[],
  { limit, idOf }: { limit: number; idOf: (row: R) => string }
): Page<R> {
  const placeOf = (row: R) => ({ sort_key: row.sort_key, id: `${row.decision_id}/${idOf(row)}` })
  const keyOf = ({ sort_key, id }: CursorPosition): string => `${sort_key} ${id}`
  const ends = sources.flatMap(({ endsAt }) => (endsAt === null ? [] : [endsAt]))
  const [end = null] = ends.toSorted((left, right) => (keyOf(left) < keyOf(right) ? 1 : -1))
  const isBefore = (row: R): boolean => end === null || keyOf(placeOf(row)) >= keyOf(end)
  const rows = sources
    .flatMap((source) => source.rows)
    .filter(isBefore)
    .toSorted((left, right) => (keyOf(placeOf(left)) < keyOf(placeOf(right)) ? 1 : -1))
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  if (rows.length <= limit || last === undefined) return { rows: page, next: end }
  return { rows: page, next: placeOf(last) }
}
