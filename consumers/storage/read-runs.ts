/** Reads the plans and all runs of decisions. */
import { identityNameOf } from '../../core/decision/decision.ts'
import type { DecisionIdentity } from '../../core/decision/decision.ts'
import type {
  EndedOutcomeRun,
  OutcomeRun,
  OutcomePlan,
  OutcomeScore
} from '../../core/evaluation/decision-outcome.ts'
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'
import { keysOf, wantedRows } from './evaluation-rows.ts'
import type { RowKey } from './evaluation-rows.ts'

/** Reads plans. If a decision has two plans, the one in its `evaluations` row takes precedence. */
export async function readPlans(
  transaction: Queryable,
  rows: readonly RowKey[]
): Promise<ReadonlyMap<string, OutcomePlan>> {
  if (rows.length === 0) return new Map()
  const found = await transaction.query<OutcomePlan & DecisionIdentity & Row>(
    // `limit 1` makes Postgres look up each row by its key instead of joining whole tables.
    `select wanted.organization_id, wanted.decision_id, coalesce(e.runs, p.runs) as runs,
            coalesce(e.outcomes, p.outcomes) as outcomes
       from ${wantedRows}
       left join lateral (
         select cardinality(run_kinds) as runs, string_to_array(outcomes, ',') as outcomes
           from evaluations e
          where e.organization_id = wanted.organization_id and e.decision_id = wanted.decision_id
            and e.received_at = wanted.received_at and e.rule_set_version is not null
          limit 1) as e on true
       left join lateral (
         select runs, outcomes
           from evaluation_plans p
          where p.organization_id = wanted.organization_id and p.decision_id = wanted.decision_id
          limit 1) as p on true
      where e.runs is not null or p.runs is not null`,
    keysOf(rows)
  )
  return new Map(found.map((row) => [identityNameOf(row), row]))
}

interface DecisionRuns {
  readonly ended: readonly EndedOutcomeRun[]
  readonly open: readonly OutcomeRun[]
  /** Whether all ended runs are packed. */
  readonly arePacked: boolean
}

interface RunRow extends OutcomeRun, Row {
  readonly run_id: string
  readonly organization_id: string
  readonly decision_id: string
  readonly source: 'packed' | 'later' | 'open'
  /** Null for pending runs. */
  readonly evaluated_at: Date | null
  readonly scores: readonly OutcomeScore[]
}

/** SQL that joins `wantedRows` with their packed runs as `r`. */
const packedOfWanted = `cross join lateral (
        select * from packed_runs r
         where r.organization_id = wanted.organization_id
           and r.decision_id = wanted.decision_id and r.received_at = wanted.received_at
        offset 0) as r`

const runColumns = (of: string): string =>
  `${of}.organization_id, ${of}.decision_id, ${of}.run_id, ${of}.rule, ${of}.rule_id,
            ${of}.evaluator, ${of}.evaluator_id, ${of}.evaluator_version, ${of}.generation,
            ${of}.status, ${of}.status_reason, ${evaluatedAtOf(of)} as evaluated_at`

function evaluatedAtOf(of: string): string {
  return of === 'o' ? 'null::timestamptz' : `${of}.evaluated_at`
}

/**
 * Returns SQL that encodes a score as JSON. A value that is not finite becomes null, because
 * Postgres encodes NaN and infinities as strings in JSON. In Postgres, NaN is greater than every
 * other number.
 */
const scoreSql = (of: string): string =>
  `json_build_object('score_id', ${of}.score_id, 'name', ${of}.name,
              'source_kind', ${of}.source_kind,
              'value', case when abs(${of}.value) < 'Infinity' then ${of}.value end,
              'label', ${of}.label, 'passed', ${of}.passed)`

/**
 * Reads all runs in one statement, because two statements could both miss a run that moves between
 * the tables. Uses the same order as other readers, so that duplicate runs are resolved in the same
 * way.
 */
export async function readRuns(
  transaction: Queryable,
  keys: readonly RowKey[]
): Promise<ReadonlyMap<string, DecisionRuns>> {
  const rows = await transaction.query<RunRow>(
    `select ${runColumns('r')}, 'packed' as source,
            case when r.name is null then '[]' else json_build_array(${scoreSql('r')}) end as scores
       from ${wantedRows}
      ${packedOfWanted}
      union all
     select ${runColumns('r')}, 'later',
            (select coalesce(json_agg(${scoreSql('s')} order by s.score_id), '[]')
               from later_scores s
              where s.organization_id = r.organization_id and s.decision_id = r.decision_id
                and s.run_id = r.run_id)
       from later_runs r join ${wantedRows} using (organization_id, decision_id)
      union all
     select ${runColumns('o')}, 'open', '[]'
       from pending_runs o join ${wantedRows} using (organization_id, decision_id)
      where not exists (select from later_runs e
                         where e.organization_id = o.organization_id
                           and e.decision_id = o.decision_id and e.run_id = o.run_id)
      order by rule, evaluator, run_id`,
    keysOf(keys)
  )
  const byDecision = Map.groupBy(rows, identityNameOf)
  return new Map([...byDecision].map(([name, own]) => [name, decisionRunsOf(own)]))
}

function decisionRunsOf(rows: readonly RunRow[]): DecisionRuns {
  const of = (source: RunRow['source']) => rows.filter((row) => row.source === source)
  const ended = rows.flatMap(({ evaluated_at, ...run }) =>
    evaluated_at === null ? [] : [{ ...run, evaluated_at: evaluated_at.getTime() }]
  )
  const open = of('open').map(({ scores: _, ...run }) => run)
  return { ended, open, arePacked: of('later').length === 0 }
}
