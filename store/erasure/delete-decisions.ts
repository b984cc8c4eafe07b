/** Deletes decisions and subtracts them from the hourly sums. */
import { changeHours, sumDecisions, summedColumns } from '../change-hours.ts'
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'
import type { ErasureCandidates } from './find-erasure-candidates.ts'

interface StoredCandidates extends ErasureCandidates {
  readonly received_at: string
}

/** Deletes decisions and returns the number of deleted rows. */
export async function deleteDecisions(
  transaction: Queryable,
  organizationId: string,
  candidates: readonly ErasureCandidates[]
): Promise<number> {
  const stored = candidates.filter((each): each is StoredCandidates => each.received_at !== null)
  if (stored.length === 0) return 0
  const hours = await transaction.query<HourRow>(takeFromHours, [
    organizationId,
    stored.map(({ decision_id }) => decision_id),
    stored.map(({ received_at }) => received_at)
  ])
  await deleteEmptyHours(transaction, organizationId, hours)
  const agents = [...new Set(hours.map(({ agent_id }) => agent_id))]
  const times = stored.map(({ received_at }) => Date.parse(received_at))
  const span = { from: new Date(Math.min(...times)), to: new Date(Math.max(...times)) }
  await correctAgents(transaction, { organizationId, agents, ...span })
  return hours[0]?.deleted ?? 0
}

interface HourRow extends Row {
  readonly hour: Date
  readonly agent_id: string
  readonly domain: string
  /** Number of decisions left in the hour. */
  readonly decisions: number
  /** Number of rows that the statement deleted in all hours. */
  readonly deleted: number
}

/** Passes times as parameters, so that Postgres reads only the partitions of their days. */
const takeFromHours = `
  with gone as (
    delete from decisions
     where organization_id = $1 and decision_id = any ($2::uuid[])
       and received_at = any ($3::timestamptz[])
    returning ${summedColumns}
  )${sumDecisions('gone')}${changeHours('-')}
  returning h.hour, h.agent_id, h.domain, h.decisions, (select count(*) from gone) as deleted`

/** Deletes hourly rows without decisions, because their agent IDs and facets are client content. */
async function deleteEmptyHours(
  transaction: Queryable,
  organizationId: string,
  hours: readonly HourRow[]
): Promise<void> {
  const keys = [hours.map(({ hour }) => hour), hours.map(({ agent_id }) => agent_id)]
  await transaction.query(
    `delete from decision_hours h
      using unnest($2::timestamptz[], $3::text[], $4::text[]) as changed (hour, agent_id, domain)
      where h.organization_id = $1 and h.hour = changed.hour and h.agent_id = changed.agent_id
        and h.domain = changed.domain and h.decisions <= 0`,
    [organizationId, ...keys, hours.map(({ domain }) => domain)]
  )
  await transaction.query(
    `delete from decision_facet_hours h
      using unnest($2::timestamptz[], $3::text[]) as changed (hour, agent_id)
      where h.organization_id = $1 and h.hour = changed.hour and h.agent_id = changed.agent_id
        and h.decisions <= 0`,
    [organizationId, ...keys]
  )
}

interface Erased {
  readonly organizationId: string
  readonly agents: readonly string[]
  /** Receipt times of the first and the last deleted decision. */
  readonly from: Date
  readonly to: Date
}

/**
 * Deletes agents without decisions, and corrects agents whose first or last decision may have been
 * deleted. Uses the bounds of the first and last remaining hours, because finding the exact times
 * would require reading every day. Locks the agents first, so that decisions being stored are
 * included.
 */
async function correctAgents(
  transaction: Queryable,
  { organizationId, agents, from, to }: Erased
): Promise<void> {
  await transaction.query(
    `select from agents where organization_id = $1 and agent_id = any ($2::text[])
      order by agent_id for update`,
    [organizationId, agents]
  )
  await transaction.query(
    `delete from agents a
      where a.organization_id = $1 and a.agent_id = any ($2::text[])
        and not exists (select from decision_hours h
                         where h.organization_id = a.organization_id
                           and h.agent_id = a.agent_id and h.decisions > 0)`,
    [organizationId, agents]
  )
  await transaction.query(
    `update agents a
        set first_received_at = case when a.first_received_at between $3 and $4
              then greatest(a.first_received_at, kept.first_hour) else a.first_received_at end,
            last_received_at = case when a.last_received_at between $3 and $4
              then least(a.last_received_at, kept.last_hour + interval '1 hour')
              else a.last_received_at end
       from (select agent_id, min(hour) as first_hour, max(hour) as last_hour
               from decision_hours
              where organization_id = $1 and agent_id = any ($2::text[]) and decisions > 0
              group by agent_id) as kept
      where a.organization_id = $1 and a.agent_id = kept.agent_id
        and (a.first_received_at between $3 and $4 or a.last_received_at between $3 and $4)`,
    [organizationId, agents, from, to]
  )
}
