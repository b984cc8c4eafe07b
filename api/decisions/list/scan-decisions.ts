/** One statement of a walk: so many rows of one piece of time are looked at, in their order. */
import type { CursorPosition } from '../../../core/cursor.ts'
import type { Row } from '../../../platform/postgres/postgres.ts'
import { textCondition } from '../../../platform/postgres/text-condition.ts'
import type { OrganizationStore } from '../../store.ts'
import type { TimeRange } from '../../time-range.ts'
import { measureSql, needsPlan, outcomeConditions, rowConditions } from './row-conditions.ts'
import { scoreValueSql } from './row-conditions.ts'
import type { Parameter } from './row-conditions.ts'
import type { ScanPlan } from './scan-plan.ts'
import { searchedSql } from './search-words.ts'
import type { SortOrder } from './sort-order.ts'

/** Where a decision is, and what it is sorted by. */
export interface DecisionKey extends Row {
  readonly decision_id: string
  /** `received_at` with all its digits. */
  readonly sort_key: string
  /** Null where there is none, and in the order of time. */
  readonly value: number | null
}

export interface Scan {
  readonly plan: ScanPlan
  readonly order: SortOrder
  readonly piece: TimeRange
  /** Looked at is what comes behind it. */
  readonly after: CursorPosition | null
  /** Rows that are looked at. */
  readonly scannedMax: number
  readonly rowsMax: number
}

export interface Scanned {
  readonly keys: readonly DecisionKey[]
  /** The last row that was looked at, when there may be more; null at the end of the piece. */
  readonly endsAt: CursorPosition | null
  /** Rows that were looked at; more than that were not. */
  readonly scanned: number
}

const sortKey = `to_char(s.received_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

export async function scanDecisions(store: OrganizationStore, scan: Scan): Promise<Scanned> {
  const { scannedMax, rowsMax } = scan
  const values: unknown[] = []
  const parameter: Parameter = (value) => `$${values.push(value)}`
  const source = sourceOf(store.organizationId, scan, parameter)
  const ofSource = [...values]
  const filters = filtersOf(scan, parameter)
  const isFiltered = filters.length > 0
  const keys = await store.query<DecisionKey>(
    `select s.decision_id, ${sortKey} as sort_key, ${valueSql(scan, parameter)} as value
       from (${source}) as s
       ${joinsOf(scan)}
      where ${['true', ...filters].join('\n        and ')}
      order by ${timeOrder(scan, 's.')}
      limit ${rowsMax}`,
    values
  )
  if (keys.length === rowsMax) return { keys, endsAt: null, scanned: keys.length }
  if (!isFiltered && keys.length < scannedMax) {
    return { keys, endsAt: null, scanned: keys.length }
  }
  const [last] = await store.query<LastRow>(
    `select decision_id, sort_key, scanned
       from (select s.decision_id, ${sortKey} as sort_key, s.received_at,
                    count(*) over () as scanned
               from (${source}) as s) as s
      order by ${timeOrder(scan, 's.', true)}
      limit 1`,
    ofSource
  )
  const { scanned = 0 } = last ?? {}
  const hasMore = last !== undefined && scanned === scannedMax
  if (!hasMore) return { keys, endsAt: null, scanned }
  const endsAt = { sort_key: last.sort_key, id: last.decision_id }
  // What was stored between the two statements moved the end up: behind it the next one looks.
  return { keys: keys.filter((key) => !isBehind(key, last, scan)), endsAt, scanned }
}

function isBehind(key: DecisionKey, end: LastRow, scan: Scan): boolean {
  const [place, endPlace] = [key, end].map((each) => `${each.sort_key} ${each.decision_id}`)
  if (place === undefined || endPlace === undefined) return false
  return isDescending(scan) ? place < endPlace : place > endPlace
}

interface LastRow extends Row {
  readonly decision_id: string
  readonly sort_key: string
  readonly scanned: number
}

function isDescending({ order }: Scan): boolean {
  return order.kind !== 'time' || order.descending
}

function timeOrder(scan: Scan, alias: string, isReversed = false): string {
  const direction = isDescending(scan) === isReversed ? 'asc' : 'desc'
  return `${alias}received_at ${direction}, ${alias}decision_id ${direction}`
}

function sourceOf(organizationId: string, scan: Scan, parameter: Parameter): string {
  const { plan, piece, after, scannedMax } = scan
  const conditions = [
    `organization_id = ${parameter(organizationId)}`,
    `received_at >= ${parameter(piece.from.toISOString())}::timestamptz`
  ]
  if (piece.to !== null) {
    conditions.push(`received_at < ${parameter(piece.to.toISOString())}::timestamptz`)
  }
  if (plan.served !== null) {
    const { column, value } = plan.served
    conditions.push(textCondition(column, value, parameter(value)))
  }
  if (plan.partial !== null) conditions.push(plan.partial)
  if (after !== null) {
    const time = `${parameter(after.sort_key)}::timestamptz`
    const sign = isDescending(scan) ? '<' : '>'
    // The first condition leaves out whole days; the second is the place within one.
    conditions.push(`received_at ${sign}= ${time}`)
    conditions.push(`(received_at, decision_id) ${sign} (${time}, ${parameter(after.id)}::uuid)`)
  }
  return `select * from ${plan.table}
              where ${conditions.join('\n                and ')}
              order by ${timeOrder(scan, '')}
              limit ${scannedMax}`
}

function filtersOf({ plan }: Scan, parameter: Parameter): readonly string[] {
  return [...rowConditions(plan.filters, parameter), ...outcomeConditions(plan.filters, parameter)]
}

function joinsOf(scan: Scan): string {
  const { plan, order } = scan
  const { status, verdict, score, q } = plan.filters
  const asked = [status, verdict, score].some((filter) => filter !== undefined)
  const needsOutcome = asked || order.kind === 'score'
  return [
    needsOutcome ? outcomeJoin(plan) : '',
    needsPlan(plan.filters) ? joinOf('evaluation_plans', 'p') : '',
    q === undefined ? '' : searchedSql
  ].join('\n       ')
}

/** Of a walk over outcomes each row is its own. */
function outcomeJoin({ table }: ScanPlan): string {
  return table === 'decisions'
    ? `${joinOf('evaluations', 'o')}
                 and o.received_at = s.received_at`
    : `cross join lateral (select s.status, s.verdict, s.scores, s.run_kinds, s.score_values,
                                  s.labels, s.passed) as o`
}

function joinOf(table: string, alias: string): string {
  return `left join ${table} ${alias} on ${alias}.organization_id = s.organization_id
                 and ${alias}.decision_id = s.decision_id`
}

function valueSql({ order }: Scan, parameter: Parameter): string {
  if (order.kind === 'time') return 'null::float8'
  if (order.kind === 'measure') return `(${measureSql[order.measure]})::float8`
  return scoreValueSql(parameter(order.name))
}
