/** Finds the decisions that were erased, whatever the rules say by now. */
import { identityNameOf } from '../core/decision/decision.ts'
import type { DecisionIdentity } from '../core/decision/decision.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'

/** @returns the names of those among `identities` that are tombstones. */
export async function findTombstones(
  transaction: Queryable,
  identities: readonly DecisionIdentity[]
): Promise<ReadonlySet<string>> {
  const rows = await transaction.query<DecisionIdentity>(
    // The limit keeps it a look-up for each: many that were erased are not to be read either.
    `select wanted.organization_id, wanted.decision_id
       from unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, decision_id)
      cross join lateral (
        select from decision_ids d
         where d.organization_id = wanted.organization_id and d.decision_id = wanted.decision_id
           and d.erased_at is not null
         limit 1) as erased`,
    [
      identities.map(({ organization_id }) => organization_id),
      identities.map(({ decision_id }) => decision_id)
    ]
  )
  return new Set(rows.map(identityNameOf))
}
