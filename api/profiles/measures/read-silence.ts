/** How much agents that are away would usually have done meanwhile. */
import type { OrganizationStore } from '../../store.ts'
import { referenceOf, silenceOf } from './agent-status.ts'
import type { AgentTimes, Silence } from './agent-status.ts'

export interface TimedAgent extends AgentTimes {
  readonly agentId: string
}

/** @returns the silence of those that are missed. */
export async function readSilence(
  store: OrganizationStore,
  agents: readonly TimedAgent[],
  now: number
): Promise<ReadonlyMap<string, Silence>> {
  const away = agents.flatMap((agent) => {
    const reference = referenceOf(agent, now)
    return reference === null ? [] : [{ agent, reference }]
  })
  if (away.length === 0) return new Map()
  const rows = await store.query<{ place: number; decisions: number }>(
    `select r.place, sum(h.decisions)::float8 as decisions
       from unnest($2::text[], $3::timestamptz[], $4::timestamptz[])
            with ordinality r(agent_id, from_at, to_at, place)
       join decision_hours h
         on h.organization_id = $1
        and h.agent_id = r.agent_id
        and h.hour >= r.from_at
        and h.hour < r.to_at
      group by 1`,
    [
      store.organizationId,
      away.map(({ agent }) => agent.agentId),
      away.map(({ reference }) => new Date(reference.from).toISOString()),
      away.map(({ reference }) => new Date(reference.to).toISOString())
    ]
  )
  const silences = rows.flatMap(({ place, decisions }): [string, Silence][] => {
    const found = away[place - 1]
    if (found === undefined) return []
    const silence = silenceOf(found.agent, { reference: found.reference, decisions, now })
    return silence === null ? [] : [[found.agent.agentId, silence]]
  })
  return new Map(silences)
}
