/** Claims identities in `decision_ids`: whoever is inserted there is the one that is stored. */
import type { Queryable } from '../../platform/postgres.ts'

export interface Identity {
  /** `organization/decision`: unique, and short to compare. */
  readonly name: string
  /** Where in the batch it stands. */
  readonly index: number
  readonly organization_id: string
  readonly decision_id: string
  readonly received_at: Date
  readonly fingerprint: Buffer
  /** Claimed as a tombstone: asked to be erased before it came here. */
  readonly isErased: boolean
}

export interface Claim {
  /** True when this transaction inserted it. */
  readonly isNew: boolean
  readonly index: number
  /** Of the decision that holds the identity. */
  readonly fingerprint: Buffer
  /** True when the identity is a tombstone, made now or before. */
  readonly isErased: boolean
}

/** @returns a claim for each identity, by its name. Identities must be distinct. */
export async function claimIdentities(
  transaction: Queryable,
  identities: readonly Identity[]
): Promise<Map<string, Claim>> {
  const inserted = new Set((await insertIdentities(transaction, identities)).map(nameOf))
  const taken = identities.filter(({ name }) => !inserted.has(name))
  const holders = taken.length === 0 ? [] : await selectHolders(transaction, taken)
  const held = new Map(holders.map((row) => [nameOf(row), row]))
  const claimOf = ({ name, index, fingerprint, isErased }: Identity): Claim => {
    if (inserted.has(name)) return { isNew: true, index, fingerprint, isErased }
    const holder = held.get(name)
    if (holder === undefined) throw new Error('an identity was neither claimed nor found')
    return { isNew: false, index, fingerprint: holder.fingerprint, isErased: holder.is_erased }
  }
  return new Map(identities.map((identity) => [identity.name, claimOf(identity)]))
}

type IdentityRow = { organization_id: string; decision_id: string }

function nameOf({ organization_id, decision_id }: IdentityRow): string {
  return `${organization_id}/${decision_id}`
}

/** Sorted, so that two consumers with the same ids (during a rebalance) cannot deadlock. */
function insertIdentities(transaction: Queryable, identities: readonly Identity[]) {
  const sorted = identities.toSorted((left, right) => (left.name < right.name ? -1 : 1))
  return transaction.query<IdentityRow>(
    `insert into decision_ids (organization_id, decision_id, received_at, fingerprint, erased_at)
     select organization_id, decision_id, received_at,
            case when is_erased then '' else fingerprint end,
            case when is_erased then now() end
       from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::bytea[], $5::boolean[])
            as claimed (organization_id, decision_id, received_at, fingerprint, is_erased)
     on conflict do nothing
     returning organization_id, decision_id`,
    [
      sorted.map(({ organization_id }) => organization_id),
      sorted.map(({ decision_id }) => decision_id),
      sorted.map(({ received_at }) => received_at),
      sorted.map(({ fingerprint }) => fingerprint),
      sorted.map(({ isErased }) => isErased)
    ]
  )
}

function selectHolders(transaction: Queryable, identities: readonly Identity[]) {
  return transaction.query<IdentityRow & { fingerprint: Buffer; is_erased: boolean }>(
    `select d.organization_id, d.decision_id, d.fingerprint,
            d.erased_at is not null as is_erased
       from decision_ids d
       join unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, decision_id)
         on wanted.organization_id = d.organization_id
        and wanted.decision_id = d.decision_id`,
    [
      identities.map(({ organization_id }) => organization_id),
      identities.map(({ decision_id }) => decision_id)
    ]
  )
}
