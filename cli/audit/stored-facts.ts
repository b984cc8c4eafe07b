/** Looks decisions up: their identity, their row, and whether somebody asked to erase them. */
import type { Decision } from '../../core/decision/decision.ts'
import { createIsErased } from '../../core/decision/erasure.ts'
import { readErasureRules } from '../../store/erasure-rules.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import type { StoredFacts } from './verdict.ts'

type FactsRow = {
  fingerprint: Buffer | null
  received_at: Date | null
  erased_at: Date | null
  has_row: boolean
}

/** One for each decision, in their order. */
export async function selectStoredFacts(
  postgres: Queryable,
  decisions: readonly Decision[]
): Promise<StoredFacts[]> {
  if (decisions.length === 0) return []
  const rows = await postgres.query<FactsRow>(
    `select ids.fingerprint, ids.received_at, ids.erased_at, found.yes is not null as has_row
       from unnest($1::uuid[], $2::uuid[])
            with ordinality as wanted (organization_id, decision_id, place)
       left join decision_ids ids
         on ids.organization_id = wanted.organization_id
        and ids.decision_id = wanted.decision_id
       left join lateral (
            -- One look into the one day that the identity leads to.
            select true as yes from decisions d
             where d.organization_id = ids.organization_id
               and d.decision_id = ids.decision_id
               and d.received_at = ids.received_at
             limit 1) found on true
      order by wanted.place`,
    [
      decisions.map(({ organization_id }) => organization_id),
      decisions.map(({ decision_id }) => decision_id)
    ]
  )
  // Of the others their identity says it, and they may be many.
  const lost = decisions.filter((_, index) => rows[index]?.fingerprint === null)
  const isErased = createIsErased(await readErasureRules(postgres, lost))
  return decisions.map((decision, index) => {
    return factsOf(rows[index]) ?? lostFacts(isErased(decision))
  })
}

/** Null without an identity. */
function factsOf(row: FactsRow | undefined): StoredFacts | null {
  const { fingerprint = null, received_at = null, erased_at = null } = row ?? {}
  if (fingerprint === null || received_at === null) return null
  return {
    identity: { fingerprint, received_at, isErased: erased_at !== null },
    hasRow: row?.has_row === true,
    isErasureAsked: false
  }
}

function lostFacts(isErasureAsked: boolean): StoredFacts {
  return { identity: null, hasRow: false, isErasureAsked }
}

/**
 * Where the oldest day partition begins: what is older and not there was dropped by retention.
 * Null when there is no day partition.
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
