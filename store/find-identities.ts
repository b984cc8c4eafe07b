/** Finds identities of decisions: which copy is stored, and whether it was erased. */
import { identityNameOf } from '../core/decision/decision.ts'
import type { DecisionIdentity } from '../core/decision/decision.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'
import { uuidArray } from '../platform/postgres/postgres-array.ts'

export interface FoundIdentity {
  /** Milliseconds since 1970. */
  readonly received_at: number
  readonly is_erased: boolean
}

/** @returns by name; an identity that is not stored has no entry */
export async function findIdentities(
  transaction: Queryable,
  decisions: readonly DecisionIdentity[]
): Promise<ReadonlyMap<string, FoundIdentity>> {
  const rows = await transaction.query<
    DecisionIdentity & { readonly received_at: Date; readonly is_erased: boolean }
  >(
    // With the limit Postgres looks up each identity; for a join it would read all identities.
    `select wanted.organization_id, wanted.decision_id, known.received_at, known.is_erased
       from unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, decision_id)
      cross join lateral (
        select d.received_at, d.erased_at is not null as is_erased
          from decision_ids d
         where d.organization_id = wanted.organization_id and d.decision_id = wanted.decision_id
         limit 1) as known`,
    [
      uuidArray(decisions.map(({ organization_id }) => organization_id)),
      uuidArray(decisions.map(({ decision_id }) => decision_id))
    ]
  )
  return new Map(
    rows.map(({ received_at, is_erased, ...name }) => [
      identityNameOf(name),
      { received_at: received_at.getTime(), is_erased }
    ])
  )
}
