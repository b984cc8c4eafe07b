/** Finds the decisions that an erasure has yet to erase, whether or not they are stored. */
import type { ErasureRule, ErasureScope } from '../../core/decision/erasure.ts'
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'
import { textCondition } from '../../platform/postgres/text-condition.ts'

export interface ErasureCandidates extends Row {
  readonly decision_id: string
  /**
   * UTC with microseconds, because it is part of the row's key. Null if the decision has no row.
   */
  readonly received_at: string | null
}

/**
 * Maximum number of decisions per transaction. A transaction of this size holds its locks for tens
 * of milliseconds.
 */
const chunkMax = 500

/**
 * Returns a condition on `decisions d`. Parameters: $1 is the organization, $2 the subject, $3 the
 * end of the rule.
 */
export function candidateRows({ scope, subject }: ErasureRule): string {
  const isOfSubject: Readonly<Record<ErasureScope, string>> = {
    decision: `d.decision_id = $2::uuid and $3::timestamptz is not null
               and d.received_at = (select i.received_at from decision_ids i
                                     where i.organization_id = $1 and i.decision_id = $2::uuid)`,
    session: `${textCondition('d.session_id', subject ?? '', '$2')} and d.received_at <= $3`,
    agent: `${textCondition('d.agent_id', subject ?? '', '$2')} and d.received_at <= $3`,
    organization: `$2::text is null and d.received_at <= $3`
  }
  return `d.organization_id = $1 and ${isOfSubject[scope]}`
}

/**
 * Selects what remains to be erased once no decision row matches. An erasure by decision ID selects
 * that ID if it has no tombstone or still has evaluations. An erasure of the organization selects
 * evaluations whose decision is not stored. Erasures by agent or session leave such evaluations to
 * storage, which deletes them when their decision arrives.
 */
const candidateStrays: Readonly<Partial<Record<ErasureScope, string>>> = {
  decision: `
    select $2::uuid as decision_id, null as received_at
     where $3::timestamptz is not null
       and (not exists (select from decision_ids i
                         where i.organization_id = $1 and i.decision_id = $2::uuid
                           and i.erased_at is not null)
            or exists (select from evaluations e
                        where e.organization_id = $1 and e.decision_id = $2::uuid))`,
  organization: `
    select e.decision_id, null::timestamptz as received_at
      from evaluations e
     where e.organization_id = $1 and e.received_at <= $3 and $2::text is null
       and not exists (select from decisions d
                        where d.organization_id = $1 and d.decision_id = e.decision_id
                          and d.received_at = e.received_at)
     limit ${chunkMax}`
}

/** Returns the next chunk; empty if everything is erased. */
export async function findErasureCandidates(
  transaction: Queryable,
  rule: ErasureRule
): Promise<ErasureCandidates[]> {
  const { organization_id, scope, subject, received_until } = rule
  const values = [organization_id, subject, received_until]
  const stored = await transaction.query<ErasureCandidates>(
    `select d.decision_id,
            to_char(d.received_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
              as received_at
       from decisions d
      where ${candidateRows(rule)}
      order by d.received_at
      limit ${chunkMax}`,
    values
  )
  const strays = candidateStrays[scope]
  if (stored.length > 0 || strays === undefined) return stored
  return await transaction.query<ErasureCandidates>(strays, values)
}
