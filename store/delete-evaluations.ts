/** Deletes what was made of decisions: with a decision it is to be gone as well. */
import type { DecisionIdentity } from '../core/decision/decision.ts'
import { pushRuleId } from '../core/evaluation/rule.ts'
import { changeOutcomeHours } from './change-outcome-hours.ts'
import type { SummedOutcome } from './change-outcome-hours.ts'
import { countedSql } from './packed-sql.ts'
import type { Queryable, Row } from '../platform/postgres/postgres.ts'

/** Tables with rows of evaluations, except `evaluations`; each with the column of a row's age. */
export const evaluationTables = [
  ['later_runs', 'evaluated_at'],
  ['later_scores', 'evaluated_at'],
  ['evaluation_plans', 'received_at'],
  ['open_runs', 'scheduled_at'],
  ['run_attempts', 'started_at'],
  ['webhook_deliveries', 'created_at'],
  ['deferred_decisions', 'received_at']
] as const

/** Deleted runs and scores, packed and later. */
export interface EvaluationCounts extends Row {
  readonly evaluation_runs: number
  readonly scores: number
}

type EvaluationTable = (typeof evaluationTables)[number][0]

function deletionsOf(tables: readonly EvaluationTable[]): string {
  return tables
    .map(
      (table) => `
  gone_${table} as (
    delete from ${table} t
     using unnest($1::uuid[], $2::uuid[]) as gone (organization_id, decision_id)
     where t.organization_id = gone.organization_id and t.decision_id = gone.decision_id
    returning 1
  )`
    )
    .join(',')
}

const deleteLater = `
  with ${deletionsOf(evaluationTables.map(([table]) => table))}
  select (select count(*) from gone_later_runs) as evaluation_runs,
         (select count(*) from gone_later_scores) as scores`

/**
 * Excludes replays, pushed scores and answered external runs, which stay in `open_runs` until they
 * are published.
 */
const isPlanned = `t.generation = 0 and t.rule_id <> '${pushRuleId}'
       and not (t.status = 'finished' and t.evaluator_kind = 'external')`
const deletePlans = `
  with ${deletionsOf(['evaluation_plans', 'webhook_deliveries'])},
  gone_runs as (
    delete from open_runs t
     using unnest($1::uuid[], $2::uuid[]) as gone (organization_id, decision_id)
     where t.organization_id = gone.organization_id and t.decision_id = gone.decision_id
       and ${isPlanned}
  )
  select`

/** Storage locks them in the same order. */
const lockRows = `
  select from evaluations e
    join unnest($1::uuid[], $2::uuid[]) as gone (organization_id, decision_id)
         using (organization_id, decision_id)
   order by organization_id, decision_id
     for update of e`

/** A packed run has a score when it succeeded. */
const deleteRows = `
  delete from evaluations e
   using unnest($1::uuid[], $2::uuid[]) as gone (organization_id, decision_id)
   where e.organization_id = gone.organization_id and e.decision_id = gone.decision_id
  returning e.organization_id, e.received_at, e.agent_id, e.domain, e.status, e.verdict,
            ${countedSql} as counted, coalesce(cardinality(e.run_kinds), 0) as runs,
            coalesce(cardinality(array_positions(e.statuses, 's')), 0) as scores`

interface PackedCounts {
  readonly runs: number
  readonly scores: number
}

type RemovedRow = SummedOutcome & PackedCounts & Row

/** Deletes in the order of tables in which storage writes; sums come last. */
export async function deleteEvaluations(
  transaction: Queryable,
  decisions: readonly DecisionIdentity[]
): Promise<EvaluationCounts> {
  const removed = await deletePacked(transaction, decisions)
  const [later] = await transaction.query<EvaluationCounts>(deleteLater, namesOf(decisions))
  if (later === undefined) throw new Error('a deletion was not counted')
  await changeOutcomeHours(transaction, { added: [], removed })
  return {
    evaluation_runs: removed.reduce((sum, { runs }) => sum + runs, later.evaluation_runs),
    scores: removed.reduce((sum, { scores }) => sum + scores, later.scores)
  }
}

/**
 * Deletes packed runs, plans, planned open runs and webhook deliveries. Keeps scores of judges and
 * people.
 * @returns the deleted rows, which the caller subtracts from the sums
 */
export async function deletePlanned(
  transaction: Queryable,
  decisions: readonly DecisionIdentity[]
): Promise<readonly SummedOutcome[]> {
  if (decisions.length === 0) return []
  const removed = await deletePacked(transaction, decisions)
  await transaction.query(deletePlans, namesOf(decisions))
  return removed
}

/** All rows of the decisions at once, in the order in which others lock them. */
export async function lockEvaluationRows(
  transaction: Queryable,
  decisions: readonly DecisionIdentity[]
): Promise<void> {
  await transaction.query(lockRows, namesOf(decisions))
}

async function deletePacked(transaction: Queryable, decisions: readonly DecisionIdentity[]) {
  await lockEvaluationRows(transaction, decisions)
  return await transaction.query<RemovedRow>(deleteRows, namesOf(decisions))
}

function namesOf(decisions: readonly DecisionIdentity[]): unknown[] {
  return [
    decisions.map(({ organization_id }) => organization_id),
    decisions.map(({ decision_id }) => decision_id)
  ]
}
