/** Finds the decisions that were erased, whatever the rules say by now. */
import { identityNameOf } from '../core/decision/decision.ts'
import type { Decision } from '../core/decision/decision.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'

type Identity = Pick<Decision, 'organization_id' | 'decision_id'>

/** @returns the names of those among `identities` that are tombstones. */
export async function findTombstones(
  transaction: Queryable,
  identities: readonly Identity[]
): Promise<ReadonlySet<string>> {
  const rows = await transaction.query<{ organization_id: string; decision_id: string }>(
    `select organization_id, decision_id
       from decision_ids
       join unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, decision_id)
            using (organization_id, decision_id)
      where erased_at is not null`,
    [
      identities.map(({ organization_id }) => organization_id),
      identities.map(({ decision_id }) => decision_id)
    ]
  )
  return new Set(rows.map(identityNameOf))
}
