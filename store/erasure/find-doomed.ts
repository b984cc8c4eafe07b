/** Which decisions an erasure is about, as far as they are stored or were evaluated. */
import type { ErasureRule, ErasureScope } from '../../core/decision/erasure.ts'
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'
import { textCondition } from '../../platform/postgres/text-condition.ts'

export interface Doomed extends Row {
  readonly decision_id: string
  /** In UTC with microseconds, since it is part of the row's key. Null without a row. */
  readonly received_at: string | null
}

/** Decisions in one transaction: its locks are held for some tens of milliseconds. */
const chunkMax = 500

/** Of `decisions d`; $1 is the organization, $2 the subject, $3 the moment up to which it holds. */
export function doomedRows({ scope, subject }: ErasureRule): string {
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
 * Decisions without a row: an id that has no tombstone yet, and evaluations whose decision is not
 * stored. Their agent and session are not known, so only an id or an organization covers them;
 * storage deletes the others when their decision arrives.
 */
const doomedStrays: Readonly<Partial<Record<ErasureScope, string>>> = {
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

/** @returns the next few; none when all are erased. */
export async function findDoomed(transaction: Queryable, rule: ErasureRule): Promise<Doomed[]> {
  const { organization_id, scope, subject, received_until } = rule
  const values = [organization_id, subject, received_until]
  const stored = await transaction.query<Doomed>(
    `select d.decision_id,
            to_char(d.received_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
              as received_at
       from decisions d
      where ${doomedRows(rule)}
      order by d.received_at
      limit ${chunkMax}`,
    values
  )
  const strays = doomedStrays[scope]
  if (stored.length > 0 || strays === undefined) return stored
  return await transaction.query<Doomed>(strays, values)
}
