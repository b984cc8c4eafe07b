/** Checks whether storage has stored published evaluations. Ignores decisions that no longer exist.
 */
import type { Evaluation } from '../../../core/evaluation/evaluation.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { identityArrays } from '../../../store/find-identities.ts'

export type PublishedOf = Pick<Evaluation, 'organization_id' | 'decision_id' | 'received_at'>

/**
 * Compares `received_at` so that Postgres reads only one day partition per decision. This query
 * runs often.
 */
export async function areStored(
  postgres: Queryable,
  decisions: readonly PublishedOf[]
): Promise<boolean> {
  if (decisions.length === 0) return true
  const missing = await postgres.query(
    `select 1
       from unnest($1::uuid[], $2::uuid[], $3::timestamptz[])
            as wanted (organization_id, decision_id, received_at)
      cross join lateral (
        select from decisions d
         where d.organization_id = wanted.organization_id and d.received_at = wanted.received_at
           and d.decision_id = wanted.decision_id
         limit 1) as there
      where not exists (select from evaluations e
                         where e.organization_id = wanted.organization_id
                           and e.decision_id = wanted.decision_id
                           and e.received_at = wanted.received_at
                           and e.run_kinds is not null)
      limit 1`,
    [...identityArrays(decisions), decisions.map(({ received_at }) => new Date(received_at))]
  )
  return missing.length === 0
}
