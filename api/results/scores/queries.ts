/** Reads pages of stored scores, and aggregates scores and the runs that could have produced them,
 * scanning a limited number of rows.
 */
import { pushRuleId } from '../../../core/evaluation/rule.ts'
import { and, query, raw, sql } from '../../../platform/postgres/sql.ts'
import type { Sql } from '../../../platform/postgres/sql.ts'
import { textEquals } from '../../../platform/postgres/text-condition.ts'
import type { OrganizationStore } from '../../store.ts'
import type { TimeRange } from '../../time-range.ts'
import { filterConditions, readBoundedPage } from '../bounded-page.ts'
import type { KeyedRow, ResultPage } from '../bounded-page.ts'
import { listedScore, summaryLimits } from './schemas.ts'
import type { Denominator, groupNames, ListedScore, ScoreFilters, ScorePoint } from './schemas.ts'

const { rowsMax, pointsMax } = summaryLimits

const scoreColumns = Object.keys(listedScore.properties)
type ScoreRow = Omit<ListedScore, 'evidence'> & KeyedRow & { readonly evidence: string | null }

export function readScorePage(store: OrganizationStore, page: ResultPage<ScoreFilters>) {
  const isNamed = nameCondition(page.filters)
  const columns = raw(scoreColumns.map((name) => `s.${name}`).join(', '))
  const score = { time: 'evaluated_at', columns }
  return readBoundedPage<ScoreRow>(store, page, {
    sources: [
      { ...score, table: sql`packed_runs`, condition: sql`name is not null` },
      { ...score, table: sql`later_scores`, condition: isNamed }
    ],
    id: 'score_id',
    filters: and([isNamed, filterConditions(page.filters, filterColumns)])
  })
}

/**
 * Returns the condition on the score name. It is separate from the other filters, because
 * `later_scores` has an index on the name and `packed_runs` does not.
 */
function nameCondition({ name }: ScoreFilters): Sql | null {
  return name === undefined ? null : textEquals(sql`name`, name)
}

/** Filter conditions on a score or a run `s`. */
const sharedFilterColumns = {
  evaluator_id: 's.evaluator_id =',
  version: 's.evaluator_version =',
  rule_id: 's.rule_id =',
  agent_id: 's.agent_id =',
  session_id: 's.session_id =',
  domain: 's.domain ='
}

/** Filter conditions on a score `s`, except the condition on the name. */
const filterColumns = {
  data_type: 's.data_type =',
  passed: 's.passed =',
  source: 's.source_kind =',
  value_min: 's.value >=',
  value_max: 's.value <=',
  ...sharedFilterColumns
}

type ScoreGroupName = (typeof groupNames)[number]

export interface SummaryQuery {
  readonly range: TimeRange
  readonly filters: ScoreFilters
  readonly groups: readonly ScoreGroupName[]
  readonly interval: 'hour' | 'day' | 'none'
}

export interface ScanExtent {
  readonly rows: number
  readonly since: Date | null
}

export interface PointRow extends Pick<ScorePoint, 'n' | 'mean' | 'n_judged' | 'n_passed'> {
  /** JSON of the group key. */
  readonly key: string
  readonly source_kind: string
  readonly evaluator_id: string | null
  readonly evaluator: string
  readonly evaluator_version: number
  /** Start of the interval; null if the summary is not divided into intervals. */
  readonly t: Date | null
  readonly n_valued: number
  readonly deviation: number | null
  /** Bounds of the scale that covers all scores; null if a score has no such bound. */
  readonly min: number | null
  readonly max: number | null
  readonly first_at: Date
}

export interface DenominatorRow extends Omit<Denominator, 'key'> {
  /** JSON of the group key. */
  readonly key: string
}

/**
 * Each row repeats the extent of the scan. If there are no groups, a single row with a null `key`
 * reports the extent.
 */
type Scanned<R> = ScanExtent & (R | { readonly key: null })

function resultOf<R extends { readonly key: string }>(found: readonly Scanned<R>[]) {
  const [{ rows = 0, since = null } = {}] = found
  const groups = found.filter((row): row is ScanExtent & R => row.key !== null)
  return { groups, scanned: { rows, since } }
}

type GroupColumns = Readonly<Record<ScoreGroupName, string>>

/** The column that each group name refers to, in a score `s` or its run `r`. */
const columnsOfScores: GroupColumns = {
  name: 's.name',
  agent_id: 's.agent_id',
  domain: 's.domain',
  rule_id: 's.rule_id',
  evaluator_id: 's.evaluator_id',
  model: 'r.model'
}

/**
 * The column that each group name refers to, in a run `s` or its evaluator version `v`. For `name`,
 * it is the name of the score that the run has produced or would produce.
 */
const columnsOfRuns: GroupColumns = {
  ...columnsOfScores,
  name: `coalesce(v.output::json ->> 'name', s.evaluator)`,
  model: 's.model'
}
const columnsOfPendingRuns: GroupColumns = { ...columnsOfRuns, model: 'null::text' }

/** Returns SQL for the group key: one JSON text for any combination of groups. */
function keyOf(groups: readonly ScoreGroupName[], columns: GroupColumns): Sql {
  const members = groups.map((name) => `'${name}', ${columns[name]}`)
  return raw(`json_build_object(${members.join(', ')})::text`)
}

function isInRange(
  store: OrganizationStore,
  time: 'evaluated_at' | 'scheduled_at',
  { range }: SummaryQuery
) {
  return and([
    sql`organization_id = ${store.organizationId} and ${raw(time)} >= ${range.from}`,
    range.to && sql`${raw(time)} < ${range.to}`
  ])
}

/**
 * Matches scores that were corrected: only the correction counts. Scores of evaluators are never
 * corrected, because only runs without a score are replayed.
 */
const isCorrected = sql`s.source_kind <> 'evaluator' and exists (
            select
              from later_scores later
             where later.organization_id = s.organization_id
               and later.decision_id = s.decision_id
               and later.name = s.name
               and later.source_kind = s.source_kind
               and (later.evaluated_at, later.score_id) > (s.evaluated_at, s.score_id))`

/** Aggregates scores by group, evaluator version and interval. */
export async function selectPoints(store: OrganizationStore, summary: SummaryQuery) {
  const { filters, groups, interval } = summary
  const isWithin = isInRange(store, 'evaluated_at', summary)
  const isNamed = nameCondition(filters)
  const scan = (table: Sql, condition: Sql | null) => sql`
               (select ${scannedColumns}
                  from ${table}
                 where ${and([isWithin, condition])}
                 order by evaluated_at desc, decision_id desc, score_id desc
                 limit ${rowsMax})`
  const key = keyOf(groups, columnsOfScores)
  return resultOf(
    await query<Scanned<PointRow>>(
      store,
      // No index supports searching packed runs by name, so runs with any name are scanned, up to
      // the limit.
      sql`with scanned as materialized (
       select *
         from (${scan(sql`packed_runs`, sql`name is not null`)}
               union all
               ${scan(sql`later_scores`, isNamed)}) newest
        order by evaluated_at desc, decision_id desc, score_id desc
        limit ${rowsMax}
     ), points as (
       select ${key} as key, s.source_kind, s.evaluator_id, s.evaluator, s.evaluator_version,
              ${interval === 'none' ? sql`null::timestamptz` : bucketOf(interval)} as t,
              count(*) as n, count(s.value) as n_valued, avg(s.value) as mean,
              ${rangeEnd('min', 'range_min', 0)} as min, ${rangeEnd('max', 'range_max', 1)} as max,
              stddev_samp(s.value) as deviation, count(s.passed) as n_judged,
              count(*) filter (where s.passed) as n_passed, min(s.evaluated_at) as first_at
         from scanned s
         ${groups.includes('model') ? runOfScore : sql``}
        where ${and([isNamed, filterConditions(filters, filterColumns), sql`not (${isCorrected})`])}
        group by 1, 2, 3, 4, 5, 6
        order by sum(count(*)) over (partition by ${key}) desc, 1, 6
        limit ${pointsMax}
     )
     select scan.rows, scan.since, points.*
       from (select count(*) as rows, min(evaluated_at) as since from scanned) scan
       left join points on true`
    )
  )
}

/** Columns that `packed_runs` and `later_scores` share. */
const scannedColumns = sql`decision_id, run_id, score_id, name, data_type, value, label, passed,
                       range_min, range_max, source_kind, rule_id, evaluator_id, evaluator,
                       evaluator_version, organization_id, evaluated_at, agent_id, session_id,
                       domain`

/**
 * A join that provides the model. Packed runs never call a model, so only later runs are joined.
 */
const runOfScore = sql`left join later_runs r
                on r.organization_id = s.organization_id
               and r.decision_id = s.decision_id
               and r.run_id = s.run_id`

/**
 * Returns SQL for one bound of the widest scale among the scores. It yields null if any score has
 * no such bound.
 */
function rangeEnd(widest: 'min' | 'max', column: string, ofBoolean: 0 | 1): Sql {
  const end = `coalesce(s.${column}, case when s.data_type = 'boolean' then ${ofBoolean} end)`
  return raw(`case when count(${end}) = count(*) then ${widest}(${end}) end`)
}

function bucketOf(interval: 'hour' | 'day'): Sql {
  return raw(`date_trunc('${interval}', s.evaluated_at, 'UTC')`)
}

/**
 * Counts runs by group and status, as denominators for score rates. A replayed run counts once,
 * with the status of its replay. Pushed scores are excluded, because they were not planned.
 */
export async function selectDenominators(store: OrganizationStore, summary: SummaryQuery) {
  const { groups, filters } = summary
  const isCounted = sql`s.rule_id is distinct from ${pushRuleId}
          and ${filterConditions(filters, filterColumnsOfRuns)}`
  return resultOf(
    await query<Scanned<DenominatorRow>>(
      store,
      sql`with ${scannedRuns(store, summary)}, runs as (
       select ${keyOf(groups, columnsOfRuns)} as key, s.status
         from ended s
         ${versionOfRun}
        where ${isCounted}
          and s.superseded_by is null
       union all
       select ${keyOf(groups, columnsOfPendingRuns)}, 'open'
         from waiting s
         ${versionOfRun}
        where ${isCounted}
          and not exists (select
                            from later_runs e
                           where e.organization_id = s.organization_id
                             and e.decision_id = s.decision_id
                             and e.run_id = s.run_id)
     ), counts as (
       select key, ${counted}
         from runs
        group by key
        order by count(*) desc, key
        limit ${pointsMax}
     )
     select scan.rows, scan.since, counts.*
       from (select count(*) as rows, min(evaluated_at) as since from ended) scan
       left join counts on true`
    )
  )
}

const counted = sql`count(*) as n_planned,
              count(*) filter (where status = 'succeeded') as n_scored,
              count(*) filter (where status = 'failed') as n_failed,
              count(*) filter (where status = 'skipped') as n_skipped,
              count(*) filter (where status = 'expired') as n_expired,
              count(*) filter (where status = 'canceled') as n_canceled,
              count(*) filter (where status = 'open') as n_pending`

/** Returns SQL that selects the newest ended and pending runs in the range. */
function scannedRuns(store: OrganizationStore, summary: SummaryQuery): Sql {
  const isWithin = isInRange(store, 'evaluated_at', summary)
  const scan = (table: Sql) => sql`
               (select decision_id, run_id, rule_id, evaluator_id, evaluator, evaluator_version,
                       organization_id, status, superseded_by, evaluated_at, agent_id, session_id,
                       domain, model
                  from ${table}
                 where ${isWithin}
                 order by evaluated_at desc, decision_id desc, run_id desc
                 limit ${rowsMax})`
  return sql`ended as materialized (
       select *
         from (${scan(sql`packed_runs`)} union all ${scan(sql`later_runs`)}) newest
        order by evaluated_at desc, decision_id desc, run_id desc
        limit ${rowsMax}
     ), waiting as materialized (
       select *
         from pending_runs
        where ${isInRange(store, 'scheduled_at', summary)}
        order by scheduled_at desc, decision_id desc, run_id desc
        limit ${rowsMax}
     )`
}

/**
 * Joins the evaluator version, which defines the score name. A left join, because most runs belong
 * to built-in evaluators, which have no row in `evaluator_versions`.
 */
const versionOfRun = sql`left join evaluator_versions v
                on v.organization_id = s.organization_id
               and v.evaluator_id = s.evaluator_id
               and v.version = s.evaluator_version`

/** Filter conditions on a run `s`. Filters on columns that only scores have are ignored. */
const filterColumnsOfRuns = { name: `${columnsOfRuns.name} =`, ...sharedFilterColumns }
