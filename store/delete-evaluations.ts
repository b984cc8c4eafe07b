/** Deletes the evaluations, plans, runs and webhook deliveries of decisions. */
import type { DecisionIdentity } from '../core/decision/decision.ts'
import { pushRuleId } from '../core/evaluation/rule.ts'
import { changeOutcomeHours } from './change-outcome-hours.ts'
import type { SummedOutcome } from './change-outcome-hours.ts'
import { identityArrays } from './find-identities.ts'
import { countedSql } from './packed-sql.ts'
import type { Queryable, Row } from '../platform/postgres/postgres.ts'

/**
 * Tables with evaluation results, except `evaluations`, each with the column that gives a row's
 * age.
 */
export const evaluationTables = [
  ['later_runs', 'evaluated_at'],
  ['later_scores', 'evaluated_at'],
  ['evaluation_plans', 'received_at'],
  ['pending_runs', 'scheduled_at'],
  ['run_attempts', 'started_at'],
  ['webhook_deliveries', 'created_at'],
  ['deferred_decisions', 'received_at']
] as const

/** Numbers of deleted runs and scores in `evaluations`, `later_runs` and `later_scores`. */
interface EvaluationCounts extends Row {
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

/**
 * A statement of its own, which waits for processes that are claiming these runs. The next
 * statement then sees, and deletes, the attempts that they have recorded.
 */
const deletePending = `with ${deletionsOf(['pending_runs'])} select`
const laterTables = evaluationTables.map(([table]) => table)
const deleteLater = `
  with ${deletionsOf(laterTables.filter((table) => table !== 'pending_runs'))}
  select (select count(*) from gone_later_runs) as evaluation_runs,
         (select count(*) from gone_later_scores) as scores`

/**
 * Excludes replays, pushed scores and answered external runs. They stay in `pending_runs` until
 * they are published.
 */
const isPlanned = `t.generation = 0 and t.rule_id <> '${pushRuleId}'
       and not (t.status = 'finished' and t.evaluator_kind = 'external')`
const deletePlans = `
  with ${deletionsOf(['evaluation_plans', 'webhook_deliveries'])},
  gone_runs as (
    delete from pending_runs t
     using unnest($1::uuid[], $2::uuid[]) as gone (organization_id, decision_id)
     where t.organization_id = gone.organization_id and t.decision_id = gone.decision_id
       and ${isPlanned}
  )
  select`

/** Locks rows in the order that storage uses. */
const lockRows = `
  select from evaluations e
    join unnest($1::uuid[], $2::uuid[]) as gone (organization_id, decision_id)
         using (organization_id, decision_id)
   order by organization_id, decision_id
     for update of e`

/** Counts succeeded packed runs as scores, because each of these runs has exactly one score. */
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

/** Deletes from the tables in the order that storage uses, and changes the sums last. */
export async function deleteEvaluations(
  transaction: Queryable,
  decisions: readonly DecisionIdentity[]
): Promise<EvaluationCounts> {
  const removed = await deletePacked(transaction, decisions)
  await transaction.query(deletePending, identityArrays(decisions))
  const [later] = await transaction.query<EvaluationCounts>(deleteLater, identityArrays(decisions))
  if (later === undefined) throw new Error('the deletion returned no counts')
  await changeOutcomeHours(transaction, { added: [], removed })
  return {
    evaluation_runs: removed.reduce((sum, { runs }) => sum + runs, later.evaluation_runs),
    scores: removed.reduce((sum, { scores }) => sum + scores, later.scores)
  }
}

/**
 * Deletes packed runs, plans, planned pending runs and webhook deliveries. Keeps the scores of
 * judges and users.
 * @returns the deleted rows, which the caller must subtract from the sums
 */
export async function deletePlanned(
  transaction: Queryable,
  decisions: readonly DecisionIdentity[]
): Promise<readonly SummedOutcome[]> {
  if (decisions.length === 0) return []
  const removed = await deletePacked(transaction, decisions)
  await transaction.query(deletePlans, identityArrays(decisions))
  return removed
}

/**
 * Locks all evaluation rows of the decisions in one statement, in the order that other transactions
 * use.
 */
export async function lockEvaluationRows(
  transaction: Queryable,
  decisions: readonly DecisionIdentity[]
): Promise<void> {
  await transaction.query(lockRows, identityArrays(decisions))
}

async function deletePacked(transaction: Queryable, decisions: readonly DecisionIdentity[]) {
  await lockEvaluationRows(transaction, decisions)
  return await transaction.query<RemovedRow>(deleteRows, identityArrays(decisions))
}
