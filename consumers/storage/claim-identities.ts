/** Claims identities in `decision_ids`. A decision is stored only by the transaction that inserts
 * its identity.
 */
import { identityNameOf } from '../../core/decision/decision.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { identityArrays } from '../../store/find-identities.ts'
import {
  booleanArray,
  byteaArray,
  timestamptzArray
} from '../../platform/postgres/postgres-array.ts'

export interface NewIdentity {
  /** See `identityNameOf`. */
  readonly name: string
  readonly organization_id: string
  readonly decision_id: string
  /** Milliseconds since 1970. */
  readonly received_at: number
  readonly fingerprint: Buffer
  /** Whether an erasure covers the decision. Its identity is then inserted as a tombstone. */
  readonly isErased: boolean
}

export interface IdentityClaim {
  /** Identity that this transaction inserted, or null if it already existed. */
  readonly winner: NewIdentity | null
  readonly fingerprint: Buffer
  /** Whether the identity is a tombstone, either new or existing. */
  readonly isErased: boolean
}

/** Returns one claim per name. If an identity occurs twice, its first occurrence is the winner. */
export async function claimIdentities(
  transaction: Queryable,
  identities: readonly NewIdentity[]
): Promise<Map<string, IdentityClaim>> {
  const claims = new Map<string, IdentityClaim>()
  const distinct: NewIdentity[] = []
  for (const identity of identities) {
    const { name, fingerprint, isErased } = identity
    if (claims.has(name)) continue
    claims.set(name, { winner: identity, fingerprint, isErased })
    distinct.push(identity)
  }
  const inserted = await insertIdentities(transaction, distinct)
  if (inserted === distinct.length) return claims
  const holders = await selectHolders(transaction, distinct)
  if (inserted + holders.length !== distinct.length) {
    throw new Error('an identity was neither claimed nor found')
  }
  for (const holder of holders) {
    const { fingerprint, is_erased: isErased } = holder
    claims.set(identityNameOf(holder), { winner: null, fingerprint, isErased })
  }
  return claims
}

/**
 * Inserts identities in sorted order, so that two consumers of the same partition cannot deadlock
 * during a rebalance.
 * @returns the number of inserted identities; usually all
 */
async function insertIdentities(
  transaction: Queryable,
  identities: readonly NewIdentity[]
): Promise<number> {
  const [row] = await transaction.query<{ inserted: number }>(
    `with inserted as (
       insert into decision_ids (organization_id, decision_id, received_at, fingerprint, erased_at)
       select organization_id, decision_id, received_at,
              case when is_erased then '' else fingerprint end,
              case when is_erased then now() end
         from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::bytea[], $5::boolean[])
              as wanted (organization_id, decision_id, received_at, fingerprint, is_erased)
        order by organization_id, decision_id
       on conflict do nothing
       returning 1
     )
     select count(*)::integer as inserted from inserted`,
    [
      ...identityArrays(identities),
      timestamptzArray(identities.map(({ received_at }) => received_at)),
      byteaArray(identities.map(({ fingerprint }) => fingerprint)),
      booleanArray(identities.map(({ isErased }) => isErased))
    ]
  )
  if (row === undefined) throw new Error('inserted identities were not counted')
  return row.inserted
}

interface HolderRow extends Record<string, unknown> {
  readonly organization_id: string
  readonly decision_id: string
  readonly fingerprint: Buffer
  readonly is_erased: boolean
}

/** Selects the identities that other transactions inserted. */
function selectHolders(transaction: Queryable, identities: readonly NewIdentity[]) {
  return transaction.query<HolderRow>(
    // `limit 1` makes Postgres look up each identity. A plain join would read the whole table.
    `select wanted.organization_id, wanted.decision_id, held.fingerprint, held.is_erased
       from unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, decision_id)
      cross join lateral (
        select d.fingerprint, d.erased_at is not null as is_erased
          from decision_ids d
         where d.organization_id = wanted.organization_id and d.decision_id = wanted.decision_id
           and d.xmin <> pg_current_xact_id()::xid
         limit 1) as held`,
    identityArrays(identities)
  )
}
