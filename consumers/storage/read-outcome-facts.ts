/** What there is of the evaluation of decisions: their plans, and all runs of theirs. */
import { identityNameOf } from '../../core/decision/decision.ts'
import type {
  EndedRun,
  OpenRun,
  OutcomePlan,
  OutcomeScore
} from '../../core/evaluation/decision-outcome.ts'
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'
import { keysOf, wantedRows } from './evaluation-rows.ts'
import type { RowKey } from './evaluation-rows.ts'

/** A plan never changes. If a decision has two, the one in the row of evaluations counts. */
export async function readPlans(
  transaction: Queryable,
  rows: readonly RowKey[]
): Promise<ReadonlyMap<string, OutcomePlan>> {
  if (rows.length === 0) return new Map()
  const found = await transaction.query<OutcomePlan & RowKey & Row>(
    // The limits make Postgres look up each row by its key instead of joining whole tables.
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

export interface KnownRuns {
  readonly ended: readonly EndedRun[]
  readonly open: readonly OpenRun[]
  /** Whether all that ended are packed. */
  readonly arePacked: boolean
}

interface RunRow extends OpenRun, Row {
  readonly run_id: string
  readonly organization_id: string
  readonly decision_id: string
  readonly source: 'packed' | 'later' | 'open'
  readonly evaluated_at: Date
  readonly scores: readonly OutcomeScore[]
}

/** Behind `wantedRows`: their packed runs `r`. */
export const packedOfWanted = `cross join lateral (
        select * from packed_runs r
         where r.organization_id = wanted.organization_id
           and r.decision_id = wanted.decision_id and r.received_at = wanted.received_at
        offset 0) as r`

export const runColumns = (of: string): string =>
  `${of}.organization_id, ${of}.decision_id, ${of}.run_id, ${of}.rule, ${of}.rule_id,
            ${of}.evaluator, ${of}.evaluator_id, ${of}.evaluator_version, ${of}.generation,
            ${of}.status, ${of}.status_reason, ${evaluatedAtOf(of)} as evaluated_at`

/** Of an open run it is not known. */
function evaluatedAtOf(of: string): string {
  return of === 'o' ? 'null::timestamptz' : `${of}.evaluated_at`
}

const scoreSql = (of: string): string =>
  `json_build_object('score_id', ${of}.score_id, 'name', ${of}.name,
              'source_kind', ${of}.source_kind, 'value', ${of}.value, 'label', ${of}.label,
              'passed', ${of}.passed)`

/**
 * One statement: of two, a run that is stored meanwhile could be in neither. In the order of the
 * readers, should two runs say that they are the same one.
 */
export async function readRuns(
  transaction: Queryable,
  keys: readonly RowKey[]
): Promise<ReadonlyMap<string, KnownRuns>> {
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
       from open_runs o join ${wantedRows} using (organization_id, decision_id)
      where not exists (select from later_runs e
                         where e.organization_id = o.organization_id
                           and e.decision_id = o.decision_id and e.run_id = o.run_id)
      order by rule, evaluator, run_id`,
    keysOf(keys)
  )
  const byDecision = Map.groupBy(rows, identityNameOf)
  return new Map([...byDecision].map(([name, own]) => [name, knownRunsOf(own)]))
}

function knownRunsOf(rows: readonly RunRow[]): KnownRuns {
  const of = (source: RunRow['source']) => rows.filter((row) => row.source === source)
  const ended = rows
    .filter(({ source }) => source !== 'open')
    .map(({ evaluated_at, scores, ...run }) => {
      return { ...run, evaluated_at: evaluated_at.getTime(), scores: scores.map(readableOf) }
    })
  const open = of('open').map(({ scores: _, ...run }) => run)
  return { ended, open, arePacked: of('later').length === 0 }
}

/** What is no finite number, JSON says as a text. */
function readableOf(score: OutcomeScore): OutcomeScore {
  return { ...score, value: typeof score.value === 'number' ? score.value : null }
}
