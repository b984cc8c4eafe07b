/** Determines the status of an agent, and whether it is unusually silent. */
import { query, sql } from '../../platform/postgres/sql.ts'
import { dayMs, hourMs } from '../stats/time-buckets.ts'
import type { OrganizationStore } from '../store.ts'

export const agentStatuses = ['active', 'idle', 'silent', 'new', 'archived'] as const
export type AgentStatus = (typeof agentStatuses)[number]

interface AgentTimes {
  readonly firstSeen: number
  readonly lastSeen: number
  readonly archived: boolean
}

export interface TimedAgent extends AgentTimes {
  readonly agentId: string
}

type ReferenceHours = ReturnType<typeof hoursOf>
type Silence = NonNullable<ReturnType<typeof silenceOf>>

const weekMs = 7 * dayMs
const newMs = weekMs
const idleMs = dayMs
const silenceMsMin = hourMs
/** Maximum duration of a silence in milliseconds. An agent without decisions for longer is idle. */
const silenceMsMax = 30 * dayMs
/**
 * Minimum number of missing decisions for a silence. If decisions arrive at random times, fewer
 * than 1 in 100 gaps are that long.
 */
const missedMin = 5

/**
 * Returns the hours of the silence (at most a week of them), shifted back by one week, so that a
 * regular quiet night or Sunday does not count as a silence. For an agent younger than a week,
 * returns its whole lifetime, if both its lifetime and the silence are at least a day long.
 * @returns null if the agent cannot be silent
 */
export function referenceOf({ firstSeen, lastSeen, archived }: AgentTimes, now: number) {
  const silentMs = now - lastSeen
  if (archived || silentMs < silenceMsMin || silentMs > silenceMsMax) return null
  const lifeMs = lastSeen - firstSeen
  if (lifeMs >= weekMs) return hoursOf(lastSeen - weekMs, Math.min(now - weekMs, lastSeen))
  return lifeMs >= dayMs && silentMs >= dayMs ? hoursOf(firstSeen, lastSeen) : null
}

/**
 * @param reference the hours that the usual volume is computed from
 * @param decisions the number of decisions in those hours
 * @returns null if the agent is not silent
 */
export function silenceOf(
  { lastSeen }: Pick<AgentTimes, 'lastSeen'>,
  { reference, decisions, now }: { reference: ReferenceHours; decisions: number; now: number }
) {
  const usual = decisions / ((reference.to - reference.from) / hourMs)
  const expected = usual * ((now - lastSeen) / hourMs)
  if (expected < missedMin) return null
  return {
    since: new Date(lastSeen).toISOString(),
    usual_per_hour: Math.round(usual * 10) / 10,
    expected: Math.round(expected)
  }
}

export function statusOf(times: AgentTimes, silence: Silence | null, now: number): AgentStatus {
  if (times.archived) return 'archived'
  if (silence !== null) return 'silent'
  if (now - times.lastSeen >= idleMs) return 'idle'
  return now - times.firstSeen < newMs ? 'new' : 'active'
}

function hoursOf(from: number, to: number) {
  const start = Math.floor(from / hourMs) * hourMs
  return { from: start, to: Math.max(start + hourMs, Math.floor(to / hourMs) * hourMs) }
}

/**
 * Estimates how many decisions each silent agent would usually have sent since its last decision.
 * @returns the silences by agent id
 */
export async function readSilence(
  store: OrganizationStore,
  agents: readonly TimedAgent[],
  now: number
): Promise<ReadonlyMap<string, Silence>> {
  const candidates = agents.flatMap((agent) => {
    const reference = referenceOf(agent, now)
    return reference === null ? [] : [{ agent, reference }]
  })
  if (candidates.length === 0) return new Map()
  const agentIds = candidates.map(({ agent }) => agent.agentId)
  const starts = candidates.map(({ reference }) => new Date(reference.from))
  const ends = candidates.map(({ reference }) => new Date(reference.to))
  const rows = await query<{ place: number; decisions: number }>(
    store,
    sql`select r.place, sum(h.decisions)::float8 as decisions
       from unnest(${agentIds}::text[], ${starts}::timestamptz[], ${ends}::timestamptz[])
            with ordinality r(agent_id, from_at, to_at, place)
       join decision_hours h
         on h.organization_id = ${store.organizationId}
        and h.agent_id = r.agent_id
        and h.hour >= r.from_at
        and h.hour < r.to_at
      group by 1`
  )
  const silences = rows.flatMap(({ place, decisions }): [string, Silence][] => {
    const found = candidates[place - 1]
    if (found === undefined) return []
    const silence = silenceOf(found.agent, { reference: found.reference, decisions, now })
    return silence === null ? [] : [[found.agent.agentId, silence]]
  })
  return new Map(silences)
}
