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
}

/** What to read. The texts are ours; what a caller gave is among `values`, always. */
export interface BoundedQuery {
  /** A table under an alias, with its columns: `from scores s`. */
  readonly from: string
  /** Columns of the answer, of a row that is called `s`. */
  readonly columns: string
  /** Columns of time and id, by which an index orders the rows of an organization. */
  readonly time: string
  readonly id: string
  /** Conditions that the index serves, and those that are looked at row by row. */
  readonly indexed: readonly string[]
  readonly filters: readonly string[]
  /** Chooses a partial index, in its words. */
  readonly also?: string
  readonly values: readonly unknown[]
  readonly rowsMax: number
}

export interface BoundedRows<R> {
  readonly rows: readonly R[]
  /** Up to here all are in `rows`; null when there are no others. */
  readonly endsAt: CursorPosition | null
}

export const scannedMax = 20_000

export async function readBoundedRows<R extends Keyed & Row>(
  store: OrganizationStore,
  query: BoundedQuery
): Promise<BoundedRows<R>> {
  const { time, id, filters, rowsMax } = query
  const sortKey = `to_char(s.${time} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
  const scanned = scannedBy(query)
  const rows = await store.query<R>(
    `select ${query.columns}, ${sortKey} as sort_key
       from (${scanned}) as s
      where ${['true', ...filters].join('\n        and ')}
      order by s.${time} desc, s.${id} desc
      limit ${rowsMax}`,
    query.values
  )
  if (rows.length === rowsMax) return { rows, endsAt: positionOf(rows.at(-1), id) }
  const ends = await store.query<Keyed & Row>(
    `select ${sortKey} as sort_key, s.${id}
       from (${scanned}) as s
      order by s.${time} desc, s.${id} desc
     offset ${scannedMax - 1}
      limit 1`,
    // Only those that it names: the server wants to know the type of each.
    query.values.slice(0, highestParameterOf(scanned))
  )
  return { rows, endsAt: positionOf(ends[0], id) }
}

function scannedBy({ from, time, id, indexed, also = 'true' }: BoundedQuery): string {
  return `select *
               ${from}
              where ${[...indexed, also].join('\n                and ')}
              order by ${time} desc, ${id} desc
              limit ${scannedMax}`
}

function highestParameterOf(statement: string): number {
  return Math.max(0, ...[...statement.matchAll(/\$(\d+)/g)].map(([, digits]) => Number(digits)))
}

function positionOf(row: (Keyed & Row) | undefined, id: string): CursorPosition | null {
  return row === undefined ? null : { sort_key: row.sort_key, id: String(row[id]) }
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
    ...(after === null
      ? []
      : [
          `(${time}, ${id}) < (${parameter(after.sort_key)}::timestamptz, ` +
            `${parameter(after.id)}::uuid)`
        ])
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
  const keyOf = (row: R): string => `${row.sort_key} ${idOf(row)}`
  const ends = sources.flatMap(({ endsAt }) => (endsAt === null ? [] : [endsAt]))
  const [end = null] = ends.toSorted((left, right) =>
    `${left.sort_key} ${left.id}` < `${right.sort_key} ${right.id}` ? 1 : -1
  )
  const isBefore = (row: R): boolean => end === null || keyOf(row) >= `${end.sort_key} ${end.id}`
  const rows = sources
    .flatMap((source) => source.rows)
    .filter(isBefore)
    .toSorted((left, right) => (keyOf(left) < keyOf(right) ? 1 : -1))
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  if (rows.length <= limit || last === undefined) return { rows: page, next: end }
  return { rows: page, next: { sort_key: last.sort_key, id: idOf(last) } }
}
