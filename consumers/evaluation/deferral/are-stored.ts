/** Whether storage has stored what was published of decisions, as far as they are still there. */
import { offlineKinds } from '../../../core/evaluation/evaluator-definition.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { isStored } from '../store-plans.ts'
import type { DeferredDecision } from './deferred-decisions.ts'

export async function areStored(
  postgres: Queryable,
  decisions: readonly DeferredDecision[]
): Promise<boolean> {
  if (decisions.length === 0) return true
  const missing = await postgres.query(
    `select 1
       from evaluation_plans p
       join unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, decision_id)
            using (organization_id, decision_id)
      where not ${isStored}
      limit 1`,
    [
      decisions.map(({ organization_id }) => organization_id),
      decisions.map(({ decision_id }) => decision_id),
      offlineKinds
    ]
  )
  return missing.length === 0
}
