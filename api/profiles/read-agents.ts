/** Agents for lists of them: as little as it takes to choose and sort many, and more of a page. */
import { previousOf } from '../stats/hour-range.ts'
import type { HourRange } from '../stats/hour-range.ts'
import { floatOf, groupedSums, selectSums } from '../stats/select-sums.ts'
import type { SumRow } from '../stats/sum-rows.ts'
import { costSource, decisionSource, outcomeSource } from '../stats/sum-sources.ts'
import type { Sums, SumSource } from '../stats/sum-sources.ts'
import type { OrganizationStore } from '../store.ts'
import type { SortName, SortValue } from './agent-page.ts'
import { recordColumns, recordTables } from './agent-record.ts'
import type { AgentRecord } from './agent-record.ts'
import { evaluationStatuses, nowOf } from './measures/agent-sums.ts'
import type { TimedAgent } from './measures/read-silence.ts'

/** The most recently seen ones; more are not looked at. */
export const agentsMax = 10_000

/** What chooses and sorts an agent. There may be thousands, so this is all that is read of each. */
export interface Candidate extends TimedAgent {
  readonly name: string | null
  readonly isTagged: boolean
  readonly sortValue: SortValue
}

export interface CandidateQuery {
  /** `isTagged` of agents that have it; undefined is true of all. */
  readonly tag: string | undefined
  readonly sort: SortName
  readonly range: HourRange
}

/** The most recently seen agents, with what they are sorted by. */
export async function readCandidates(
  store: OrganizationStore,
  { tag, sort, range }: CandidateQuery
): Promise<readonly Candidate[]> {
  const values: unknown[] = [store.organizationId, tag ?? null]
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const candidates = await store.query<Candidate & Record<string, unknown>>(
    `${measuredBy(sort, range, parameter)}
     select a.agent_id as "agentId", p.name, p.archived_at is not null as archived,
            ${millisecondsOf('a.first_received_at')} as "firstSeen",
            ${millisecondsOf('a.last_received_at')} as "lastSeen",
            $2::text is null or coalesce($2 = any(p.tags), false) as "isTagged",
            measured.value as "sortValue"
       from ${recordTables}
       left join measured on measured.agent_id = a.agent_id collate "C"
      where a.organization_id = $1
      order by a.last_received_at desc, a.agent_id
      limit ${agentsMax}`,
    values
  )
  return candidates.map((agent) => ({ ...agent, sortValue: sortValueOf(agent, sort) }))
}

function millisecondsOf(column: string): string {
  return `floor(extract(epoch from ${column}) * 1000)::float8`
}

function sortValueOf({ sortValue, agentId, name, lastSeen }: Candidate, sort: SortName): SortValue {
  if (sort === 'last_seen') return lastSeen
  if (sort === 'name') return (name ?? agentId).toLowerCase()
  return sort === 'volume' ? (sortValue ?? 0) : sortValue
}

interface Measured {
  readonly source: SumSource
  readonly names: readonly string[]
  /** Of these sums. */
  readonly value: string
}

const measured: Readonly<Partial<Record<SortName, Measured>>> = {
  volume: { source: decisionSource, names: ['decisions'], value: floatOf('decisions') },
  pass_rate: {
    source: outcomeSource,
    names: ['judged', 'passed'],
    value: 'passed::float8 / nullif(judged, 0)::float8'
  },
  cost: {
    source: costSource,
    names: ['usd', 'priced_tokens'],
    value: 'case when priced_tokens > 0 then usd end::float8'
  }
}

/** A table of agents and values. */
function measuredBy(
  sort: SortName,
  { from, to }: HourRange,
  parameter: (value: unknown) => string
): string {
  const found = measured[sort]
  if (found === undefined) {
    return 'with measured as (select null::text as agent_id, null::float8 as value)'
  }
  const { source, names, value } = found
  const query = { groups: ['agent_id'], filters: {}, from, to } as const
  return `with ${groupedSums(source, query, { parameter, names, columns: ['1'] })}, measured as (
       select coalesce(g1, '') as agent_id, ${value} as value from grouped
     )`
}

const tokenSums = ['input_tokens', 'output_tokens', 'input_tokens_known', 'output_tokens_known']

export interface ListedAgent {
  readonly record: AgentRecord
  readonly decisions: readonly SumRow[]
  readonly outcomes: readonly SumRow[]
  readonly cost: Sums
}

/** In the order of their ids; those that were deleted meanwhile are left out. */
export async function readAgents(
  store: OrganizationStore,
  agentIds: readonly string[],
  range: HourRange
): Promise<readonly ListedAgent[]> {
  const query = { groups: ['agent_id'], filters: { agentIds }, to: range.to } as const
  const seriesMax = agentIds.length
  const now = { ...query, from: range.from, starts: [range.from], seriesMax }
  const [records, decisions, outcomes, costs] = await Promise.all([
    selectRecords(store, agentIds),
    selectSums(store, decisionSource, {
      ...now,
      from: previousOf(range).from,
      sums: [...tokenSums, 'errors', 'errors_known']
    }),
    selectSums(store, outcomeSource, {
      ...{ ...now, groups: ['agent_id', 'status'] },
      seriesMax: seriesMax * evaluationStatuses.length
    }),
    selectSums(store, costSource, now)
  ])
  const ofRecords = new Map(records.map((record) => [record.agent_id, record]))
  const [ofDecisions, ofOutcomes, ofCosts] = [decisions, outcomes, costs].map(byAgent)
  return agentIds.flatMap((agentId) => {
    const record = ofRecords.get(agentId)
    if (record === undefined) return []
    return {
      record,
      decisions: ofDecisions?.get(agentId) ?? [],
      outcomes: ofOutcomes?.get(agentId) ?? [],
      cost: nowOf(ofCosts?.get(agentId) ?? [])
    }
  })
}

async function selectRecords(
  store: OrganizationStore,
  agentIds: readonly string[]
): Promise<readonly AgentRecord[]> {
  return await store.query<AgentRecord>(
    `select ${recordColumns}
       from ${recordTables}
      where a.organization_id = $1
        and a.agent_id = any($2)`,
    [store.organizationId, agentIds]
  )
}

/** The first member of a key is the agent; none is the decisions that name none. */
function byAgent(rows: readonly SumRow[]): ReadonlyMap<string, readonly SumRow[]> {
  return Map.groupBy(rows, agentOf)
}

export function agentOf({ key }: SumRow): string {
  return (JSON.parse(key ?? '[]') as (string | null)[])[0] ?? ''
}
