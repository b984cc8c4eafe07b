/** Deletes evaluations that came before their decision turned out to be erased. */
import type { Decision } from '../../core/decision.ts'
import type { Queryable } from '../../platform/postgres.ts'

/** With the decision, also what was made of it is to be gone. */
export async function deleteEvaluations(
  transaction: Queryable,
  decisions: readonly Pick<Decision, 'organization_id' | 'decision_id'>[]
): Promise<void> {
  if (decisions.length === 0) return
  for (const table of ['evaluation_runs', 'scores'] as const) {
    await transaction.query(
      `delete from ${table} t
        using unnest($1::uuid[], $2::uuid[]) as gone (organization_id, decision_id)
        where t.organization_id = gone.organization_id and t.decision_id = gone.decision_id`,
      [
        decisions.map(({ organization_id }) => organization_id),
        decisions.map(({ decision_id }) => decision_id)
      ]
    )
  }
}
