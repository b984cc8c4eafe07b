/** Whether storage has stored what was published of decisions, as far as they are still there. */
import type { Evaluation } from '../../../core/evaluation/evaluation.ts'
import { offlineKinds } from '../../../core/evaluation/evaluator-definition.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { isStored } from '../store-plans.ts'

export type PublishedOf = Pick<Evaluation, 'organization_id' | 'decision_id' | 'received_at'>

/** Asked again and again, so that it looks into their days alone. */
export async function areStored(
  postgres: Queryable,
  decisions: readonly PublishedOf[]
): Promise<boolean> {
  if (decisions.length === 0) return true
  const missing = await postgres.query(
    `select 1
       from evaluation_plans p
       join unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, decision_id)
            using (organization_id, decision_id)
      where not ${isStored('e.received_at = any ($4::timestamptz[])')}
      limit 1`,
    [
      decisions.map(({ organization_id }) => organization_id),
      decisions.map(({ decision_id }) => decision_id),
      offlineKinds,
      decisions.map(({ received_at }) => new Date(received_at))
    ]
  )
  return missing.length === 0
}
