/** Reads agents and their profiles from Postgres, and changes profiles. */
import { Problem } from '../../core/problem.ts'
import type { Static } from '../../http/schema.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { query, raw, sql } from '../../platform/postgres/sql.ts'
import type { OrganizationStore } from '../store.ts'
import type { HourRange } from '../stats/time-buckets.ts'
import { agentIdOf, agentNameOf } from './agent-name.ts'
import type { editedProfile, ProfileChange } from './schemas.ts'

/** An agent and the time range of a request about it. */
export interface AgentQuery {
  readonly store: OrganizationStore
  /** Empty for decisions without an agent. */
  readonly agentId: string
  readonly range: HourRange
}

/** A profile as stored: `agent_id` is the stored id, not the agent name that the API uses. */
export type AgentRecord = Omit<Static<typeof editedProfile>, 'first_seen' | 'last_seen'> & {
  readonly first_seen: Date
  readonly last_seen: Date
}

const columns = raw(`a.agent_id, a.first_received_at as first_seen,
            a.last_received_at as last_seen, p.name, p.description, p.owner,
            coalesce(p.tags, '{}') as tags, p.prices::json as prices, p.archived_at, p.updated_at`)

/** FROM clause that joins the agent `a` with its profile `p`. */
export const agentTables = raw(`agents a
       left join agent_profiles p
         on p.organization_id = a.organization_id
        and p.agent_id = a.agent_id`)

export function readRecords(on: Queryable, organizationId: string, agentIds: readonly string[]) {
  return query<AgentRecord>(
    on,
    sql`select ${columns}
       from ${agentTables}
      where a.organization_id = ${organizationId}
        and a.agent_id = any(${agentIds})`
  )
}

/**
 * Reads the record of an agent and the storage watermark.
 * @throws {Problem} 404 if the agent has no stored decision
 */
export async function findRecord(store: OrganizationStore, name: string, decisionsTopic: string) {
  const [found] = await query<AgentRecord & { readonly as_of: Date | null }>(
    store,
    sql`select ${columns}, (select nullif(min(as_of), 'epoch')
                           from storage_progress
                          where topic = ${decisionsTopic}) as as_of
       from ${agentTables}
      where a.organization_id = ${store.organizationId}
        and a.agent_id = ${agentIdOf(name)}`
  )
  return requireRecord(found)
}

/**
 * Throws a 404 problem if the record is missing. An agent of another organization gets the same
 * response as one that does not exist.
 */
function requireRecord<R extends AgentRecord>(record: R | undefined): R {
  if (record !== undefined) return record
  const detail = 'No agent with this id has a stored decision.'
  throw new Problem('agent_not_found', { detail })
}

/**
 * Merges the members of `body` into the profile. Holds a lock on the agent, so that concurrent
 * updates do not overwrite each other.
 * @param edit identifies the agent and the user who changes its profile
 * @throws {Problem} 404 if the agent has no stored decision
 */
export async function changeProfile(
  transaction: Queryable,
  edit: { readonly organizationId: string; readonly agentId: string; readonly userId: string },
  body: ProfileChange
): Promise<AgentRecord> {
  const { organizationId, agentId, userId } = edit
  const read = async () => {
    const [record] = await readRecords(transaction, organizationId, [agentId])
    return requireRecord(record)
  }
  const lock = `sluice profile ${organizationId} ${agentId}`
  await query(transaction, sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`)
  const before = await read()
  const { name, description, owner, tags, prices } = { ...before, ...body }
  const archived = body.archived ?? before.archived_at !== null
  await query(
    transaction,
    sql`insert into agent_profiles as p (organization_id, agent_id, name, description, owner, tags,
                                         prices, archived_at, updated_by)
        values (${organizationId}, ${agentId}, ${name}, ${description}, ${owner},
                ${[...new Set(tags)]}, ${prices === null ? null : JSON.stringify(prices)},
                case when ${archived}::boolean then now() end, ${userId})
        on conflict (organization_id, agent_id) do update
           set name = excluded.name, description = excluded.description, owner = excluded.owner,
               tags = excluded.tags, prices = excluded.prices,
               archived_at = case when excluded.archived_at is not null
                                  then coalesce(p.archived_at, now()) end,
               updated_at = now(), updated_by = excluded.updated_by`
  )
  return await read()
}

/** Returns the members that identify an agent in a list. */
export function identityOf({ agent_id, name, owner, tags, first_seen, last_seen }: AgentRecord) {
  return { agent_id: agentNameOf(agent_id), name, owner, tags, first_seen, last_seen }
}

export function timesOf({ agent_id, first_seen, last_seen, archived_at }: AgentRecord) {
  return {
    agentId: agent_id,
    firstSeen: first_seen.getTime(),
    lastSeen: last_seen.getTime(),
    archived: archived_at !== null
  }
}
