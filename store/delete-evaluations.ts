/** Deletes what was made of decisions: with a decision it is to be gone as well. */
import type { Decision } from '../core/decision/decision.ts'
import { changeOutcomeHours } from './change-outcome-hours.ts'
import type { SummedOutcome } from './change-outcome-hours.ts'
import type { Queryable, Row } from '../platform/postgres/postgres.ts'

/** Its tables, with the column that says how old a row is. A row belongs to one decision. */
export const evaluationTables = [
  ['evaluation_runs', 'evaluated_at'],
  ['scores', 'evaluated_at'],
  ['evaluation_plans', 'received_at'],
  ['open_runs', 'scheduled_at'],
  ['run_attempts', 'started_at'],
  ['webhook_deliveries', 'created_at']
] as const

/** The rows of each table. */
export type EvaluationCounts = Readonly<Record<(typeof evaluationTables)[number][0], number>>

const deletions = evaluationTables.map(
  ([table]) => `
  gone_${table} as (
    delete from ${table} t
     using unnest($1::uuid[], $2::uuid[]) as gone (organization_id, decision_id)
     where t.organization_id = gone.organization_id and t.decision_id = gone.decision_id
    returning 1
  )`
)
const counts = evaluationTables.map(([table]) => `(select count(*) from gone_${table}) as ${table}`)
const deleteAll = `with ${deletions.join(',')} select ${counts.join(', ')}`

const deleteOutcomes = `
  delete from decision_outcomes o
   using unnest($1::uuid[], $2::uuid[]) as gone (organization_id, decision_id)
   where o.organization_id = gone.organization_id and o.decision_id = gone.decision_id
  returning o.organization_id, o.received_at, o.agent_id, o.domain, o.status, o.verdict, o.counted`

/** In the order of the tables, in which storage inserts as well; what they came to is the last. */
export async function deleteEvaluations(
  transaction: Queryable,
  decisions: readonly Pick<Decision, 'organization_id' | 'decision_id'>[]
): Promise<EvaluationCounts> {
  const names = [
    decisions.map(({ organization_id }) => organization_id),
    decisions.map(({ decision_id }) => decision_id)
  ]
  const [deleted] = await transaction.query<EvaluationCounts>(deleteAll, names)
  if (deleted === undefined) throw new Error('a deletion was not counted')
  const removed = await transaction.query<SummedOutcome & Row>(deleteOutcomes, names)
  await changeOutcomeHours(transaction, { added: [], removed })
  return deleted
}
