/** Scans a limited number of rows within one piece of a time range, in order, and filters them. */
import type { CursorPosition } from '../../core/cursor.ts'
import { and, query, sql, raw } from '../../platform/postgres/sql.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { isIndexed, textEquals } from '../../platform/postgres/text-condition.ts'
import { sortKey } from '../page.ts'
import { agentIdOf } from '../profiles/agent-name.ts'
import type { OrganizationStore } from '../store.ts'
import type { TimeRange } from '../time-range.ts'
import { conditionsOf, measures, needsPlan, scoreValueSql, searchedSql } from './filters.ts'
import type { DecisionFilters } from './filters.ts'
import type { SortOrder } from './list-query.ts'
import type { DecisionKey } from './queries.ts'

/** The chosen table and index, and the filters that remain to be checked row by row. */
interface ScanPlan {
  /** The table to scan in time order. */
  readonly table: 'decisions' | 'evaluations'
  /** The one filter that the index supports. The remaining filters are checked row by row. */
  readonly served: {
    readonly column: 'trace_id' | 'session_id' | 'agent_id' | 'domain'
    readonly value: string
  } | null
  /** The WHERE clause of the partial index to use, exactly as in the index definition. */
  readonly partial: string | null
  readonly filters: DecisionFilters
}

/** A partial index on the few rows that deviate from the common case. */
interface PartialIndex {
  readonly table: ScanPlan['table']
  /** The WHERE clause, exactly as in the index definition. */
  readonly condition: string
  /** Checks whether the index contains every row that matches the filters. */
  readonly isFor: (filters: DecisionFilters) => boolean
  /** The filter that the condition makes redundant. */
  readonly filter?: keyof DecisionFilters
}

const partialIndexes: readonly PartialIndex[] = [
  {
    table: 'evaluations',
    condition: `verdict <> 'pass'`,
    isFor: (filters) => isOfOutcomes(filters) && isAmong(filters.verdict, ['fail', 'mixed'])
  },
  {
    table: 'evaluations',
    condition: `status <> 'evaluated'`,
    isFor: (filters) =>
      isOfOutcomes(filters) && isAmong(filters.status, ['failed', 'partial', 'evaluating'])
  },
  {
    table: 'decisions',
    condition: 'is_error',
    isFor: (filters) => filters.is_error === true && servedOf(filters) === null,
    filter: 'is_error'
  }
]

/** Filters that can be checked on `evaluations` alone. */
const evaluationFilters = new Set(['status', 'verdict', 'score', 'agent_id', 'domain'])

export function scanPlanOf(filters: DecisionFilters, order: SortOrder): ScanPlan {
  const isOfMeasure = order.kind === 'measure'
  const index = isOfMeasure ? undefined : partialIndexes.find(({ isFor }) => isFor(filters))
  if (index !== undefined) {
    const { table, condition: partial, filter } = index
    return { table, served: null, partial, filters: without(filters, filter) }
  }
  const served = servedOf(filters)
  return { table: 'decisions', served, partial: null, filters: without(filters, served?.column) }
}

function without(filters: DecisionFilters, name?: keyof DecisionFilters): DecisionFilters {
  return name === undefined ? filters : { ...filters, [name]: undefined }
}

/**
 * Checks whether scanning `evaluations` is sufficient and worthwhile. Filters on a session are
 * better served by the session index, because a session has fewer rows than the partial index.
 */
function isOfOutcomes(filters: DecisionFilters): boolean {
  return Object.entries(filters).every(
    ([name, value]) => value === undefined || evaluationFilters.has(name)
  )
}

/**
 * Checks whether the filter selects only values that the partial index contains. Decisions without
 * a row in `evaluations` have none of these values.
 */
function isAmong<Value>(given: readonly Value[] | undefined, few: readonly Value[]): boolean {
  return given?.every((value) => few.includes(value)) ?? false
}

/** Returns the narrowest filter that an index supports. */
function servedOf(filters: DecisionFilters): ScanPlan['served'] {
  const { trace_id = '', session_id = '', agent_id = '', domain = [] } = filters
  const candidates = [
    { column: 'trace_id', value: trace_id },
    { column: 'session_id', value: session_id },
    { column: 'agent_id', value: agentIdOf(agent_id) },
    { column: 'domain', value: (domain.length === 1 && domain[0]) || '' }
  ] as const
  return candidates.find(({ value }) => value !== '' && isIndexed(value)) ?? null
}

/** Key of a decision, with the value that the list is sorted by. */
export interface ValuedKey extends DecisionKey {
  /** Null if the decision has no value or the list is sorted by time. */
  readonly value: number | null
}

export interface Scan {
  readonly plan: ScanPlan
  readonly order: SortOrder
  readonly piece: TimeRange
  /** Position after which the scan starts. */
  readonly after: CursorPosition | null
  /** Maximum number of rows to scan. */
  readonly scannedMax: number
  readonly rowsMax: number
}

/**
 * Returns the keys of the matching rows and the number of rows scanned. `endsAt` is the position of
 * the last row scanned; it is null if the piece was scanned completely or `rowsMax` rows match. In
 * the latter case, `scanned` counts only the matching rows.
 */
export async function scanDecisions(store: OrganizationStore, scan: Scan) {
  const { scannedMax, rowsMax } = scan
  const { organizationId } = store
  const source = sourceOf(organizationId, scan)
  const filters = conditionsOf(organizationId, scan.plan.filters)
  const keys = await query<ValuedKey>(
    store,
    sql`select s.decision_id, ${sortKey(sql`s.received_at`)},
               ${valueSql(organizationId, scan.order)} as value
          from (${source}) as s
          ${joinsOf(scan)}
         where ${and(filters)}
         order by ${timeOrder(scan)}
         limit ${raw(rowsMax)}`
  )
  if (keys.length === rowsMax || (filters.length === 0 && keys.length < scannedMax)) {
    return { keys, endsAt: null, scanned: keys.length }
  }
  const [last] = await query<DecisionKey & { readonly scanned: number }>(
    store,
    sql`select s.decision_id, s.sort_key, s.scanned
          from (select s.decision_id, ${sortKey(sql`s.received_at`)}, s.received_at,
                       count(*) over () as scanned
                  from (${source}) as s) as s
         order by ${timeOrder(scan, true)}
         limit 1`
  )
  const { scanned = 0 } = last ?? {}
  if (last === undefined || scanned !== scannedMax) return { keys, endsAt: null, scanned }
  const endsAt = { sort_key: last.sort_key, id: last.decision_id }
  // If rows were stored between the two statements, some keys can be past the last row scanned.
  // The next scan returns these keys.
  return { keys: keys.filter((key) => !isPast(key, last, scan)), endsAt, scanned }
}

function isPast(key: DecisionKey, end: DecisionKey, { order }: Scan): boolean {
  const placeOf = ({ sort_key, decision_id }: DecisionKey) => `${sort_key} ${decision_id}`
  return isDescending(order) ? placeOf(key) < placeOf(end) : placeOf(key) > placeOf(end)
}

/** Checks whether to scan newest first. Lists sorted by a value are always scanned this way. */
export function isDescending(order: SortOrder): boolean {
  return order.kind !== 'time' || order.descending
}

function timeOrder({ order }: Scan, isReversed = false): Sql {
  const direction = isDescending(order) === isReversed ? sql`asc` : sql`desc`
  return sql`s.received_at ${direction}, s.decision_id ${direction}`
}

function sourceOf(organizationId: string, scan: Scan): Sql {
  const { plan, piece, after, scannedMax } = scan
  return sql`select * from ${raw(plan.table)} as s
              where ${and([
                sql`organization_id = ${organizationId}`,
                sql`received_at >= ${piece.from}`,
                piece.to && sql`received_at < ${piece.to}`,
                plan.served && textEquals(raw(plan.served.column), plan.served.value),
                plan.partial === null ? null : raw(plan.partial),
                after && isAfter(after, isDescending(scan.order) ? sql`<` : sql`>`)
              ])}
              order by ${timeOrder(scan)}
              limit ${scannedMax}`
}

/**
 * Returns SQL that selects the rows after a position. The condition on `received_at` alone lets
 * Postgres skip partitions; the condition on `received_at` and `decision_id` is exact.
 */
export function isAfter({ sort_key, id }: CursorPosition, sign: Sql): Sql {
  return sql`received_at ${sign}= ${sort_key}::timestamptz
             and (received_at, decision_id) ${sign} (${sort_key}::timestamptz, ${id}::uuid)`
}

function joinsOf({ plan, order }: Scan): Sql {
  const { status, verdict, score, q } = plan.filters
  const isOfOutcome = [status, verdict, score].some((filter) => filter !== undefined)
  return sql`${isOfOutcome || order.kind === 'score' ? outcomeJoin(plan) : sql``}
          ${needsPlan(status) ? joinOf('evaluation_plans', 'p') : sql``}
          ${q === undefined ? sql`` : searchedSql}`
}

/**
 * Returns the join with the evaluation. When `evaluations` is scanned, the row itself is the
 * evaluation.
 */
function outcomeJoin({ table }: ScanPlan): Sql {
  return table === 'decisions'
    ? sql`${joinOf('evaluations', 'o')} and o.received_at = s.received_at`
    : sql`cross join lateral (select s.status, s.verdict, s.scores, s.run_kinds, s.score_values,
                                     s.labels, s.passed) as o`
}

function joinOf(table: string, alias: string): Sql {
  return raw(`left join ${table} ${alias} on ${alias}.organization_id = s.organization_id
                 and ${alias}.decision_id = s.decision_id`)
}

function valueSql(organizationId: string, order: SortOrder): Sql {
  if (order.kind === 'time') return sql`null::float8`
  if (order.kind === 'measure') return sql`(${measures[order.measure]})::float8`
  return scoreValueSql(organizationId, order.name)
}
