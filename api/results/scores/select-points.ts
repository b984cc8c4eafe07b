/** Sums of scores by group, evaluator version and interval, over a bounded number of rows. */
import type { Row } from '../../../platform/postgres/postgres.ts'
import { textCondition } from '../../../platform/postgres/text-condition.ts'
import type { OrganizationStore } from '../../store.ts'
import type { TimeRange } from '../../time-range.ts'
import { keyColumn } from './group-columns.ts'
import type { GroupName } from './group-columns.ts'
import { scoreConditions } from './score-filters.ts'
import type { ScoreFilters } from './score-filters.ts'

export interface SummaryQuery {
  readonly range: TimeRange
  readonly filters: ScoreFilters
  readonly groups: readonly GroupName[]
  readonly interval: 'hour' | 'day' | 'none'
}

/** How many of the newest rows are looked at, and how many points come of them. */
export interface SummaryLimits {
  readonly rowsMax: number
  readonly pointsMax: number
}

export interface PointRow extends Row {
  /** JSON text of the group. */
  readonly key: string
  readonly source_kind: string
  readonly evaluator_id: string | null
  readonly evaluator: string
  readonly evaluator_version: number
  /** Null when there are no intervals. */
  readonly t: Date | null
  readonly n: number
  readonly n_valued: number
  readonly mean: number | null
  readonly deviation: number | null
  /** That all of its values have; null where there is none. */
  readonly min: number | null
  readonly max: number | null
  readonly n_judged: number
  readonly n_passed: number
  readonly first_at: Date
}

export interface Scanned {
  readonly rows: number
  readonly since: Date | null
}

export interface Points {
  readonly points: readonly PointRow[]
  readonly scanned: Scanned
}

/**
 * A correction counts instead of what it corrects. Evaluators correct nothing: what a replay does
 * again has given no score.
 */
const isCorrected = `s.source_kind <> 'evaluator' and exists (
            select
              from later_scores later
             where later.organization_id = s.organization_id
               and later.decision_id = s.decision_id
               and later.name = s.name
               and later.source_kind = s.source_kind
               and (later.evaluated_at, later.score_id) > (s.evaluated_at, s.score_id))`

export async function selectPoints(
  store: OrganizationStore,
  query: SummaryQuery,
  { rowsMax, pointsMax }: SummaryLimits
): Promise<Points> {
  const { filters, groups, interval } = query
  const values: unknown[] = []
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const indexed = indexedConditions(store.organizationId, query, parameter)
  const { name } = filters
  const named = name === undefined ? [] : [textCondition('name', name, parameter(name))]
  const conditions = [...named, ...scoreConditions(filters, parameter), `not (${isCorrected})`]
  const model = groups.includes('model') ? runOfScore : ''
  const rows = await store.query<(PointRow | { key: null }) & { rows: number; since: Date | null }>(
    // No index finds packed runs by name: those of all names are scanned, so that it ends.
    `with scanned as materialized (
       select *
         from (${scannedFrom('packed_runs', [...indexed, 'name is not null'], rowsMax)}
               union all
               ${scannedFrom('later_scores', [...indexed, ...named], rowsMax)}) newest
        order by evaluated_at desc, decision_id desc, score_id desc
        limit ${rowsMax}
     ), points as (
       select ${keyColumn(groups, 'ofScore')} as key, s.source_kind, s.evaluator_id,
              s.evaluator, s.evaluator_version, ${bucketOf(interval)} as t,
              count(*) as n, count(s.value) as n_valued, avg(s.value) as mean,
              ${rangeEnd('min', 'range_min', 0)} as min, ${rangeEnd('max', 'range_max', 1)} as max,
              stddev_samp(s.value) as deviation, count(s.passed) as n_judged,
              count(*) filter (where s.passed) as n_passed, min(s.evaluated_at) as first_at
         from scanned s
         ${model}
        where ${conditions.join('\n          and ')}
        group by 1, 2, 3, 4, 5, 6
        order by sum(count(*)) over (partition by ${keyColumn(groups, 'ofScore')}) desc, 1, 6
        limit ${pointsMax}
     )
     select scan.rows, scan.since, points.*
       from (select count(*) as rows, min(evaluated_at) as since from scanned) scan
       left join points on true`,
    values
  )
  const [{ rows: scannedRows = 0, since = null } = {}] = rows
  return {
    points: rows.filter((row) => row.key !== null),
    scanned: { rows: scannedRows, since }
  }
}

/** The columns of a score that both sources have. */
const scannedColumns = `decision_id, run_id, score_id, name, data_type, value, label, passed,
                       range_min, range_max, source_kind, rule_id, evaluator_id, evaluator,
                       evaluator_version, organization_id, evaluated_at, agent_id, session_id,
                       domain`

function scannedFrom(table: string, conditions: readonly string[], rowsMax: number): string {
  return `(select ${scannedColumns}
                  from ${table}
                 where ${conditions.join('\n                   and ')}
                 order by evaluated_at desc, decision_id desc, score_id desc
                 limit ${rowsMax})`
}

/** Only runs that call a model have one, and these are never packed. */
const runOfScore = `left join later_runs r
                on r.organization_id = s.organization_id
               and r.decision_id = s.decision_id
               and r.run_id = s.run_id`

/** The end of the widest range among the values; none when one of them has no such end. */
function rangeEnd(widest: 'min' | 'max', column: string, ofBoolean: 0 | 1): string {
  const end = `coalesce(s.${column}, case when s.data_type = 'boolean' then ${ofBoolean} end)`
  return `case when count(${end}) = count(*) then ${widest}(${end}) end`
}

function bucketOf(interval: SummaryQuery['interval']): string {
  return interval === 'none'
    ? 'null::timestamptz'
    : `date_trunc('${interval}', s.evaluated_at, 'UTC')`
}

function indexedConditions(
  organizationId: string,
  { range }: SummaryQuery,
  parameter: (value: unknown) => string
): readonly string[] {
  return [
    `organization_id = ${parameter(organizationId)}`,
    `evaluated_at >= ${parameter(range.from)}`,
    ...(range.to === null ? [] : [`evaluated_at < ${parameter(range.to)}`])
  ]
}
