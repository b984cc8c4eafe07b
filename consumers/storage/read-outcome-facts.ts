/** What there is of the evaluation of decisions: their plans, and all runs of theirs. */
import { identityNameOf } from '../../core/decision/decision.ts'
import type {
  EndedRun,
  OpenRun,
  OutcomePlan,
  OutcomeScore
} from '../../core/evaluation/decision-outcome.ts'
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'
import type { DecisionName } from './outcome-rows.ts'

const wanted = 'unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, decision_id)'

function namesOf(decisions: readonly DecisionName[]) {
  return [
    decisions.map(({ organization_id }) => organization_id),
    decisions.map(({ decision_id }) => decision_id)
  ]
}

/** A plan never changes, so that it does not matter when it is read. */
export async function readPlans(
  transaction: Queryable,
  decisions: readonly DecisionName[]
): Promise<ReadonlyMap<string, OutcomePlan>> {
  const rows = await transaction.query<OutcomePlan & DecisionName & Row>(
    `select organization_id, decision_id, runs, outcomes
       from evaluation_plans join ${wanted} using (organization_id, decision_id)`,
    namesOf(decisions)
  )
  return new Map(rows.map((row) => [identityNameOf(row), row]))
}

export interface KnownRuns {
  readonly ended: readonly EndedRun[]
  readonly open: readonly OpenRun[]
}

interface RunRow extends OpenRun, DecisionName, Row {
  readonly organization_id: string
  readonly decision_id: string
  /** Null while it is not stored. */
  readonly evaluated_at: Date | null
  readonly scores: readonly OutcomeScore[]
}

/**
 * One statement: of two, a run that is stored meanwhile could be in neither. In the order of the
 * readers, should two runs say that they are the same one.
 */
export async function readRuns(
  transaction: Queryable,
  decisions: readonly DecisionName[]
): Promise<ReadonlyMap<string, KnownRuns>> {
  const rows = await transaction.query<RunRow>(
    `select r.organization_id, r.decision_id, r.run_id, r.rule, r.rule_id, r.evaluator,
            r.evaluator_id, r.evaluator_version, r.generation, r.status, r.status_reason,
            r.evaluated_at,
            (select coalesce(json_agg(json_build_object('score_id', s.score_id, 'name', s.name,
                      'source_kind', s.source_kind, 'value', s.value, 'label', s.label,
                      'passed', s.passed) order by s.score_id), '[]')
               from scores s
              where s.organization_id = r.organization_id and s.decision_id = r.decision_id
                and s.run_id = r.run_id) as scores
       from evaluation_runs r join ${wanted} using (organization_id, decision_id)
      union all
     select o.organization_id, o.decision_id, o.run_id, o.rule, o.rule_id, o.evaluator,
            o.evaluator_id, o.evaluator_version, o.generation, o.status, o.status_reason,
            null, '[]'
       from open_runs o join ${wanted} using (organization_id, decision_id)
      where not exists (select from evaluation_runs e
                         where e.organization_id = o.organization_id
                           and e.decision_id = o.decision_id and e.run_id = o.run_id)
      order by rule, evaluator, run_id`,
    namesOf(decisions)
  )
  const byDecision = Map.groupBy(rows, identityNameOf)
  return new Map([...byDecision].map(([name, own]) => [name, knownRunsOf(own)]))
}

function knownRunsOf(rows: readonly RunRow[]): KnownRuns {
  const ended = rows.flatMap(({ evaluated_at, scores, ...run }) =>
    evaluated_at === null
      ? []
      : [{ ...run, evaluated_at: evaluated_at.getTime(), scores: scores.map(readableOf) }]
  )
  const open = rows.filter(({ evaluated_at }) => evaluated_at === null)
  return { ended, open: open.map(({ scores: _, ...run }) => run) }
}

/** What is no finite number, JSON says as a text. */
function readableOf(score: OutcomeScore): OutcomeScore {
  return { ...score, value: typeof score.value === 'number' ? score.value : null }
}
