/** Reads the state of decisions in Postgres: identity, row and matching erasure rules. */
import type { Decision } from '../../core/decision/decision.ts'
import { createIsErased } from '../../core/decision/erasure.ts'
import { readErasureRules } from '../erasure-rules.ts'
import { identityArrays } from '../find-identities.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import type { StoredState } from './audit-result.ts'

type StateRow = {
  fingerprint: Buffer | null
  received_at: Date | null
  erased_at: Date | null
  has_row: boolean
}

/** Returns one state per decision, in the order of the decisions. */
export async function selectStoredStates(
  postgres: Queryable,
  decisions: readonly Decision[]
): Promise<StoredState[]> {
  if (decisions.length === 0) return []
  const rows = await postgres.query<StateRow>(
    `select ids.fingerprint, ids.received_at, ids.erased_at, found.yes is not null as has_row
       from unnest($1::uuid[], $2::uuid[])
            with ordinality as wanted (organization_id, decision_id, place)
       left join decision_ids ids
         on ids.organization_id = wanted.organization_id
        and ids.decision_id = wanted.decision_id
       left join lateral (
            -- Reads only one day partition.
            select true as yes from decisions d
             where d.organization_id = ids.organization_id
               and d.decision_id = ids.decision_id
               and d.received_at = ids.received_at
             limit 1) found on true
      order by wanted.place`,
    identityArrays(decisions)
  )
  // Reads erasure rules only for decisions without an identity, because reading them for all
  // decisions would be slow.
  const lost = decisions.filter((_, index) => rows[index]?.fingerprint === null)
  const isErased = createIsErased(await readErasureRules(postgres, lost))
  return decisions.map((decision, index) => {
    return stateOf(rows[index]) ?? lostState(isErased(decision))
  })
}

/** Returns null if the identity does not exist. */
function stateOf(row: StateRow | undefined): StoredState | null {
  const { fingerprint = null, received_at = null, erased_at = null } = row ?? {}
  if (fingerprint === null || received_at === null) return null
  return {
    identity: { fingerprint, received_at, isErased: erased_at !== null },
    hasRow: row?.has_row === true,
    isErasureRequested: false
  }
}

function lostState(isErasureRequested: boolean): StoredState {
  return { identity: null, hasRow: false, isErasureRequested }
}

/**
 * Returns the start of the oldest day partition, before which retention has dropped everything.
 * Returns null if there is no day partition.
 */
export async function selectKeptFrom(postgres: Queryable): Promise<Date | null> {
  const [row] = await postgres.query<{ kept_from: Date | null }>(
    `select min(to_timestamp(substring(child.relname from 11) || ' +00', 'YYYYMMDD TZH'))
            as kept_from
       from pg_inherits join pg_class child on child.oid = inhrelid
      where inhparent = 'decisions'::regclass and child.relname ~ '^decisions_[0-9]{8}$'`
  )
  return row?.kept_from ?? null
}
