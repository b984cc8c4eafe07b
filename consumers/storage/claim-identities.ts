/** Claims identities in `decision_ids`: whoever is inserted there is the one that is stored. */
import { identityNameOf } from '../../core/decision/decision.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import {
  booleanArray,
  byteaArray,
  timestamptzArray,
  uuidArray
} from '../../platform/postgres/postgres-array.ts'

export interface Identity {
  /** As `identityNameOf` has it. */
  readonly name: string
  readonly organization_id: string
  readonly decision_id: string
  /** Milliseconds since 1970. */
  readonly received_at: number
  readonly fingerprint: Buffer
  /** Claimed as a tombstone: asked to be erased before it came here. */
  readonly isErased: boolean
}

/** What holds the identity now. */
export interface Claim {
  /** The identity that this transaction inserted; null when another one had it before. */
  readonly winner: Identity | null
  readonly fingerprint: Buffer
  /** True when it is a tombstone, made now or before. */
  readonly isErased: boolean
}

/** @returns a claim for each name. An identity may be given twice: the first one claims it. */
export async function claimIdentities(
  transaction: Queryable,
  identities: readonly Identity[]
): Promise<Map<string, Claim>> {
  const claims = new Map<string, Claim>()
  const distinct: Identity[] = []
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
 * Sorted, so that two consumers with the same ids (during a rebalance) cannot deadlock.
 * @returns how many were inserted: nearly always all.
 */
async function insertIdentities(
  transaction: Queryable,
  identities: readonly Identity[]
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
      uuidArray(identities.map(({ organization_id }) => organization_id)),
      uuidArray(identities.map(({ decision_id }) => decision_id)),
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

/** @returns the identities that another transaction inserted */
function selectHolders(transaction: Queryable, identities: readonly Identity[]) {
  return transaction.query<HolderRow>(
    // The limit keeps it a look-up for each: a join would read all identities that there are.
    `select wanted.organization_id, wanted.decision_id, held.fingerprint, held.is_erased
       from unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, decision_id)
      cross join lateral (
        select d.fingerprint, d.erased_at is not null as is_erased
          from decision_ids d
         where d.organization_id = wanted.organization_id and d.decision_id = wanted.decision_id
           and d.xmin <> pg_current_xact_id()::xid
         limit 1) as held`,
    [
      uuidArray(identities.map(({ organization_id }) => organization_id)),
      uuidArray(identities.map(({ decision_id }) => decision_id))
    ]
  )
}
