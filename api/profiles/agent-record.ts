/** An agent as it is stored: what storage saw of it, and what people say of it. */
import { Problem } from '../../core/problem.ts'
import type { Row } from '../../platform/postgres/postgres.ts'
import type { Prices } from './measures/agent-cost.ts'
import { agentNameOf } from './agent-name.ts'
import type { TimedAgent } from './measures/read-silence.ts'

export interface AgentRecord extends Row {
  readonly agent_id: string
  readonly first_received_at: Date
  readonly last_received_at: Date
  readonly name: string | null
  readonly description: string | null
  readonly owner: string | null
  readonly tags: readonly string[] | null
  /** JSON text. */
  readonly prices: string | null
  readonly archived_at: Date | null
  readonly updated_at: Date | null
}

/** Of agents `a` and their profiles `p`. */
export const recordColumns = `a.agent_id, a.first_received_at, a.last_received_at, p.name,
            p.description, p.owner, p.tags, p.prices, p.archived_at, p.updated_at`

export const recordTables = `agents a
       left join agent_profiles p
         on p.organization_id = a.organization_id
        and p.agent_id = a.agent_id`

export function timesOf(record: AgentRecord): TimedAgent {
  return {
    agentId: record.agent_id,
    firstSeen: record.first_received_at.getTime(),
    lastSeen: record.last_received_at.getTime(),
    archived: record.archived_at !== null
  }
}

export function pricesOf({ prices }: Pick<AgentRecord, 'prices'>): Prices | null {
  return prices === null ? null : (JSON.parse(prices) as Prices)
}

/** What every answer about an agent begins with. */
export function identityOf(record: AgentRecord) {
  return {
    agent_id: agentNameOf(record.agent_id),
    name: record.name,
    owner: record.owner,
    tags: record.tags ?? [],
    first_seen: record.first_received_at.toISOString(),
    last_seen: record.last_received_at.toISOString()
  }
}

/** What people may change. */
export function editableOf(record: AgentRecord) {
  return {
    description: record.description,
    prices: pricesOf(record),
    archived_at: record.archived_at?.toISOString() ?? null,
    updated_at: record.updated_at?.toISOString() ?? null
  }
}

/** One of another organization answers the same. */
export function agentNotFound(): Problem {
  const detail = 'Nothing of an agent with this id is stored.'
  return new Problem('agent_not_found', { detail })
}
