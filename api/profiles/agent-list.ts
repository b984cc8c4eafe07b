/** Lists the agents of an organization: filters, sorts and measures them. */
import { evaluationStatuses } from '../../core/evaluation/evaluation-status.ts'
import { query, raw, sql } from '../../platform/postgres/sql.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { measureOf } from '../stats/metrics.ts'
import { floatOf, groupedSums, selectSums } from '../stats/select-sums.ts'
import type { SumRow } from '../stats/select-sums.ts'
import { nowOf } from '../stats/stats-series.ts'
import { costSource, decisionSource, outcomeSource } from '../stats/sum-sources.ts'
import type { SumName, SumSource } from '../stats/sum-sources.ts'
import { previousOf } from '../stats/time-buckets.ts'
import type { HourRange } from '../stats/time-buckets.ts'
import type { OrganizationStore } from '../store.ts'
import { agentNameOf } from './agent-name.ts'
import type { SortName, SortValue } from './agent-page.ts'
import { readSilence, statusOf } from './agent-status.ts'
import type { AgentStatus, TimedAgent } from './agent-status.ts'
import { countOf, measuresOf, pricedCost } from './agent-sums.ts'
import { sparklineGridOf, sparklineOf, volumeOf } from './agent-sums.ts'
import { agentTables, identityOf, readRecords, timesOf } from './queries.ts'
import type { ListedAgent } from './schemas.ts'

/** Maximum number of agents in a list. Agents seen less recently are omitted. */
export const agentsMax = 10_000
/** Maximum number of versions, and of SDK versions, listed per agent. */
const versionsMax = 3

/**
 * Values to filter and sort an agent by. An organization can have thousands of agents, so nothing
 * else is read.
 */
type Candidate = TimedAgent & {
  readonly name: string | null
  readonly isTagged: boolean
  readonly sortValue: SortValue
}

/**
 * Reads the most recently seen agents with their sort values.
 * @param tag sets `isTagged` for agents with this tag; if undefined, for all agents
 */
export async function readCandidates(
  store: OrganizationStore,
  { tag, sort, range }: { tag: string | undefined; sort: SortName; range: HourRange }
): Promise<readonly Candidate[]> {
  const wanted = tag ?? null
  const candidates = await query<Candidate>(
    store,
    sql`${measuredBy(store, sort, range)}
     select a.agent_id as "agentId", p.name, p.archived_at is not null as archived,
            ${millisecondsOf('a.first_received_at')} as "firstSeen",
            ${millisecondsOf('a.last_received_at')} as "lastSeen",
            ${wanted}::text is null or coalesce(${wanted} = any(p.tags), false) as "isTagged",
            measured.value as "sortValue"
       from ${agentTables}
       left join measured on measured.agent_id = a.agent_id collate "C"
      where a.organization_id = ${store.organizationId}
      order by a.last_received_at desc, a.agent_id
      limit ${raw(agentsMax)}`
  )
  return candidates.map((agent) => ({ ...agent, sortValue: sortValueOf(agent, sort) }))
}

function millisecondsOf(column: string): Sql {
  return raw(`floor(extract(epoch from ${column}) * 1000)::float8`)
}

function sortValueOf({ sortValue, agentId, name, lastSeen }: Candidate, sort: SortName): SortValue {
  if (sort === 'last_seen') return lastSeen
  if (sort === 'name') return (name ?? agentId).toLowerCase()
  return sort === 'volume' ? (sortValue ?? 0) : sortValue
}

/** `value` is an SQL expression over the sums. */
type SortSource = { source: SumSource; sums: readonly SumName[]; value: string }

const sortSources: Readonly<Partial<Record<SortName, SortSource>>> = {
  volume: { source: decisionSource, sums: ['decisions'], value: floatOf('decisions') },
  pass_rate: {
    source: outcomeSource,
    sums: ['judged', 'passed'],
    value: 'passed::float8 / nullif(judged, 0)::float8'
  },
  cost: {
    source: costSource,
    sums: ['usd', 'priced_tokens'],
    value: 'case when priced_tokens > 0 then usd end::float8'
  }
}

/** Returns a WITH clause that defines `measured`: the agents with their sort values. */
function measuredBy(store: OrganizationStore, sort: SortName, { from, to }: HourRange): Sql {
  const found = sortSources[sort]
  if (found === undefined) {
    return sql`with measured as (select null::text as agent_id, null::float8 as value)`
  }
  const { source, sums, value } = found
  const byAgent = { groups: ['agent_id'], filters: {}, from, to, sums } as const
  return sql`with ${groupedSums(store, source, byAgent)}, measured as (
       select coalesce(g1, '') as agent_id, ${raw(value)} as value from grouped
     )`
}

/**
 * Filters agents. Excludes archived agents unless the filter `status` selects them.
 * @param q a substring of the id or name, case-insensitive
 */
export async function filterAgents(
  store: OrganizationStore,
  agents: readonly Candidate[],
  { q, status, knownUntil }: { q?: string; status?: AgentStatus; knownUntil: number }
): Promise<readonly Candidate[]> {
  const wanted = q?.toLowerCase()
  const named = agents.filter(({ agentId, name, isTagged }) => {
    const texts = [agentNameOf(agentId), name ?? ''].map((text) => text.toLowerCase())
    return isTagged && (wanted === undefined || texts.some((text) => text.includes(wanted)))
  })
  if (status === undefined) return named.filter(({ archived }) => !archived)
  const silences = await readSilence(store, named, knownUntil)
  return named.filter((agent) => {
    return statusOf(agent, silences.get(agent.agentId) ?? null, knownUntil) === status
  })
}

/**
 * Reads the measures of the agents on one page only, because some measures require a query per
 * agent. Omits agents that no longer exist.
 */
export async function readListed(
  store: OrganizationStore,
  page: readonly Candidate[],
  { range, knownUntil }: { readonly range: HourRange; readonly knownUntil: number }
): Promise<readonly ListedAgent[]> {
  const agentIds = page.map(({ agentId }) => agentId)
  if (agentIds.length === 0) return []
  const grid = sparklineGridOf(range)
  const [records, versions, silences, sums] = await Promise.all([
    readRecords(store, store.organizationId, agentIds),
    selectVersions(store, agentIds, range),
    readSilence(store, page, knownUntil),
    readSums(store, agentIds, { range, starts: grid.starts })
  ])
  return agentIds.flatMap((agentId) => {
    const record = records.find(({ agent_id }) => agent_id === agentId)
    if (record === undefined) return []
    const ofAgent = sums.map((byAgent) => byAgent.get(agentId))
    const [decisions = [], outcomes = [], costs = [], trend = []] = ofAgent
    const { input_tokens, output_tokens, error_rate } = measuresOf(nowOf(decisions))
    const { usd = 0, priced_tokens = 0, tokens = 0 } = nowOf(costs)
    return {
      ...identityOf(record),
      status: statusOf(timesOf(record), silences.get(agentId) ?? null, knownUntil),
      volume: volumeOf(decisions, range),
      sparkline: sparklineOf(trend, grid),
      tokens: { input: input_tokens, output: output_tokens },
      cost: pricedCost(usd, priced_tokens, tokens),
      pass_rate: measureOf('pass_rate', nowOf(outcomes)),
      error_rate,
      evaluation: {
        evaluated: countOf(outcomes, 1, 'evaluated'),
        partial: countOf(outcomes, 1, 'partial'),
        failed: countOf(outcomes, 1, 'failed')
      },
      versions: versionsOf(versions, agentId, 'agent_version'),
      sdk_versions: versionsOf(versions, agentId, 'sdk_version')
    }
  })
}

/** Reads the sums of each agent: decisions, outcomes, costs, and decisions per sparkline point. */
async function readSums(
  store: OrganizationStore,
  agentIds: readonly string[],
  { range, starts }: { readonly range: HourRange; readonly starts: readonly number[] }
) {
  const { from, to } = range
  const seriesMax = agentIds.length
  const now = { filters: { agentIds }, from, to, starts: [from], seriesMax }
  const byAgent = { ...now, groups: ['agent_id'] } as const
  const sums = await Promise.all([
    selectSums(store, decisionSource, { ...byAgent, from: previousOf(range).from }),
    selectSums(store, outcomeSource, {
      ...now,
      groups: ['agent_id', 'status'],
      seriesMax: seriesMax * evaluationStatuses.length
    }),
    selectSums(store, costSource, byAgent),
    selectSums(store, decisionSource, { ...byAgent, starts, sums: ['decisions'] })
  ])
  return sums.map((rows) => Map.groupBy(rows, agentOf))
}

/** Returns the agent id, the first element of the key; empty for decisions without an agent. */
function agentOf({ key }: SumRow): string {
  return (JSON.parse(key ?? '[]') as (string | null)[])[0] ?? ''
}

type VersionRow = {
  readonly agent_id: string
  readonly facet: 'agent_version' | 'sdk_version'
  readonly value: string
}

function versionsOf(rows: readonly VersionRow[], agentId: string, facet: VersionRow['facet']) {
  return rows
    .filter((row) => row.agent_id === agentId && row.facet === facet)
    .map(({ value }) => value)
}

/** Selects the most recently seen versions and SDK versions of each agent, newest first. */
function selectVersions(
  store: OrganizationStore,
  agentIds: readonly string[],
  { from, to }: HourRange
) {
  return query<VersionRow>(
    store,
    sql`select agent_id, facet, value
       from (select agent_id, facet, value,
                    row_number() over (partition by agent_id, facet
                                       order by max(hour) desc, sum(decisions) desc, value) as place
               from decision_facet_hours
              where organization_id = ${store.organizationId}
                and agent_id = any(${agentIds})
                and hour >= ${new Date(from)}
                and hour < ${new Date(to)}
                and facet in ('agent_version', 'sdk_version')
                and decisions > 0
              group by agent_id, facet, value) seen
      where place <= ${versionsMax}
      order by agent_id, place`
  )
}
