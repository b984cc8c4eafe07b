/** How many runs stand behind a rate, and how many of them gave no score. */
import type { Row } from '../../../platform/postgres/postgres.ts'
import { pushRuleId } from '../../../core/evaluation/rule.ts'
import type { OrganizationStore } from '../../store.ts'
import { groupColumns, keyColumn } from './group-columns.ts'
import type { GroupName } from './group-columns.ts'
import type { Scanned, SummaryLimits, SummaryQuery } from './select-points.ts'

export interface DenominatorRow extends Row {
  /** JSON text of the group. */
  readonly key: string
  readonly n_planned: number
  readonly n_scored: number
  readonly n_failed: number
  readonly n_skipped: number
  readonly n_expired: number
  readonly n_canceled: number
  readonly n_pending: number
}

const counted = `count(*) as n_planned,
              count(*) filter (where status = 'succeeded') as n_scored,
              count(*) filter (where status = 'failed') as n_failed,
              count(*) filter (where status = 'skipped') as n_skipped,
              count(*) filter (where status = 'expired') as n_expired,
              count(*) filter (where status = 'canceled') as n_canceled,
              count(*) filter (where status = 'open') as n_pending`

/** The name of its score; most evaluators are built in, and have none. */
const version = `left join evaluator_versions v
                on v.organization_id = s.organization_id
               and v.evaluator_id = s.evaluator_id
               and v.version = s.evaluator_version`

/** Runs that a replay repeats count as what the replay comes to; pushed scores were not planned. */
export async function selectDenominators(
  store: OrganizationStore,
  query: SummaryQuery,
  { rowsMax, pointsMax }: SummaryLimits
): Promise<{ readonly denominators: readonly DenominatorRow[]; readonly scanned: Scanned }> {
  const values: unknown[] = [store.organizationId, query.range.from, query.range.to]
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const { groups } = query
  const ended = runConditions(query, { of: 'ofRun', parameter })
  const open = runConditions(query, { of: 'ofOpenRun', parameter })
  const rows = await store.query<
    (DenominatorRow | { key: null }) & { rows: number; since: Date | null }
  >(
    `with ${scannedRuns(rowsMax)}, runs as (
       ${keysOf(groups, { ended, open })}
     ), counts as (
       select key, ${counted}
         from runs
        group by key
        order by count(*) desc, key
        limit ${pointsMax}
     )
     select scan.rows, scan.since, counts.*
       from (select count(*) as rows, min(evaluated_at) as since from ended) scan
       left join counts on true`,
    values
  )
  const [{ rows: scannedRows = 0, since = null } = {}] = rows
  return {
    denominators: rows.filter((row) => row.key !== null),
    scanned: { rows: scannedRows, since }
  }
}

/** The newest that ended, and that are open, in the range. */
function scannedRuns(rowsMax: number): string {
  return `ended as materialized (
       select *
         from (${endedFrom('packed_runs', rowsMax)}
               union all
               ${endedFrom('later_runs', rowsMax)}) newest
        order by evaluated_at desc, decision_id desc, run_id desc
        limit ${rowsMax}
     ), waiting as materialized (
       select *
         from open_runs
        where organization_id = $1
          and scheduled_at >= $2::timestamptz
          and scheduled_at < coalesce($3::timestamptz, 'infinity')
        order by scheduled_at desc, decision_id desc, run_id desc
        limit ${rowsMax}
     )`
}

function endedFrom(table: string, rowsMax: number): string {
  return `(select decision_id, run_id, rule_id, evaluator_id, evaluator, evaluator_version,
                        organization_id, status, superseded_by, evaluated_at, agent_id, session_id,
                        domain, model
                   from ${table}
                  where organization_id = $1
                    and evaluated_at >= $2::timestamptz
                    and evaluated_at < coalesce($3::timestamptz, 'infinity')
                  order by evaluated_at desc, decision_id desc, run_id desc
                  limit ${rowsMax})`
}

interface RunConditions {
  readonly ended: readonly string[]
  readonly open: readonly string[]
}

/** Group and status of each run that counts. */
function keysOf(groups: readonly GroupName[], { ended, open }: RunConditions): string {
  return `select ${keyColumn(groups, 'ofRun')} as key, s.status
         from ended s
         ${version}
        where ${ended.join('\n          and ')}
          and s.superseded_by is null
       union all
       select ${keyColumn(groups, 'ofOpenRun')}, 'open'
         from waiting s
         ${version}
        where ${open.join('\n          and ')}
          and not exists (select
                            from later_runs e
                           where e.organization_id = s.organization_id
                             and e.decision_id = s.decision_id
                             and e.run_id = s.run_id)`
}

interface RunSource {
  readonly of: 'ofRun' | 'ofOpenRun'
  readonly parameter: (value: unknown) => string
}

/** Only what a run has in common with its score can choose it. */
function runConditions({ filters }: SummaryQuery, { of, parameter }: RunSource): readonly string[] {
  const { name, evaluator_id, version: number, rule_id, agent_id, session_id, domain } = filters
  const wanted: readonly [string, unknown][] = [
    [groupColumns.name[of], name],
    ['s.evaluator_id', evaluator_id],
    ['s.evaluator_version', number],
    ['s.rule_id', rule_id],
    ['s.agent_id', agent_id],
    ['s.session_id', session_id],
    ['s.domain', domain]
  ]
  return [
    `s.rule_id is distinct from '${pushRuleId}'`,
    ...wanted.flatMap(([column, value]) =>
      value === undefined ? [] : [`${column} = ${parameter(value)}`]
    )
  ]
}
