/** Finds the identities of decisions: when the stored copy was received, and whether it was erased.
 */
import { identityNameOf } from '../core/decision/decision.ts'
import type { DecisionIdentity } from '../core/decision/decision.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'
import { uuidArray } from '../platform/postgres/postgres-array.ts'

interface StoredIdentity {
  /** Milliseconds since 1970. */
  readonly received_at: number
  readonly is_erased: boolean
}

/** Returns the organizations and IDs of decisions, as parameters for `unnest`. */
export function identityArrays(decisions: readonly DecisionIdentity[]): string[] {
  return [
    uuidArray(decisions.map(({ organization_id }) => organization_id)),
    uuidArray(decisions.map(({ decision_id }) => decision_id))
  ]
}

/** Returns the stored identities, by name. */
export async function findIdentities(
  transaction: Queryable,
  decisions: readonly DecisionIdentity[]
): Promise<ReadonlyMap<string, StoredIdentity>> {
  const rows = await transaction.query<
    DecisionIdentity & { readonly received_at: Date; readonly is_erased: boolean }
  >(
    // The limit makes Postgres look up each identity instead of reading all identities for a join.
    `select wanted.organization_id, wanted.decision_id, known.received_at, known.is_erased
       from unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, decision_id)
      cross join lateral (
        select d.received_at, d.erased_at is not null as is_erased
          from decision_ids d
         where d.organization_id = wanted.organization_id and d.decision_id = wanted.decision_id
         limit 1) as known`,
    identityArrays(decisions)
  )
  return new Map(
    rows.map(({ received_at, is_erased, ...name }) => [
      identityNameOf(name),
      { received_at: received_at.getTime(), is_erased }
    ])
  )
}
