/** Deletes decisions, and takes them off their sums: of what is left, nothing tells of them. */
import { changeHours, sumDecisions, summedColumns } from '../change-hours.ts'
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'
import type { Doomed } from './find-doomed.ts'

interface StoredDoomed extends Doomed {
  readonly received_at: string
}

/** @returns how many rows were deleted. */
export async function deleteDecisions(
  transaction: Queryable,
  organizationId: string,
  doomed: readonly Doomed[]
): Promise<number> {
  const stored = doomed.filter((each): each is StoredDoomed => each.received_at !== null)
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
  /** Left in the hour. */
  readonly decisions: number
  /** Rows of all hours that were deleted by the statement. */
  readonly deleted: number
}

/** Times are values of the statement, so that Postgres opens only the partitions of their days. */
const takeFromHours = `
  with gone as (
    delete from decisions
     where organization_id = $1 and decision_id = any ($2::uuid[])
       and received_at = any ($3::timestamptz[])
    returning ${summedColumns}
  )${sumDecisions('gone')}${changeHours('-')}
  returning h.hour, h.agent_id, h.domain, h.decisions, (select count(*) from gone) as deleted`

/** An agent's id and what it says of itself are the caller's words, so they go as well. */
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
  /** When the first and the last that was deleted were received. */
  readonly from: Date
  readonly to: Date
}

/**
 * Who was first or last heard of by what is gone was so within an hour that is left: to find the
 * very moment would open every day. Locked first, so that who stores meanwhile has been seen.
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
