/** All agents of an organization with the sums of a window, for lists of them. */
import { previousOf } from '../stats/hour-range.ts'
import type { HourRange } from '../stats/hour-range.ts'
import { selectSums } from '../stats/select-sums.ts'
import type { SumRow } from '../stats/select-sums.ts'
import { costSource, decisionSource, outcomeSource } from '../stats/sum-sources.ts'
import type { Sums } from '../stats/sum-sources.ts'
import type { OrganizationStore } from '../store.ts'
import { recordColumns, recordTables } from './agent-record.ts'
import type { AgentRecord } from './agent-record.ts'

/** Those that were seen last; more are not looked at. */
export const agentsMax = 10_000

const tokenSums = ['input_tokens', 'output_tokens', 'input_tokens_known', 'output_tokens_known']

export interface ListedAgent {
  readonly record: AgentRecord
  readonly decisions: readonly SumRow[]
  readonly outcomes: readonly SumRow[]
  readonly cost: Sums
}

export async function readAgents(
  store: OrganizationStore,
  range: HourRange
): Promise<readonly ListedAgent[]> {
  const query = { groups: ['agent_id'], filters: {}, to: range.to } as const
  const now = { ...query, from: range.from, starts: [range.from] }
  const [records, decisions, outcomes, costs] = await Promise.all([
    selectRecords(store),
    selectSums(store, decisionSource, {
      ...now,
      from: previousOf(range).from,
      sums: [...tokenSums, 'errors', 'errors_known']
    }),
    selectSums(store, outcomeSource, { ...now, groups: ['agent_id', 'status'] }),
    selectSums(store, costSource, now)
  ])
  const ofDecisions = byAgent(decisions)
  const ofOutcomes = byAgent(outcomes)
  const ofCosts = byAgent(costs)
  return records.map((record) => ({
    record,
    decisions: ofDecisions.get(record.agent_id) ?? [],
    outcomes: ofOutcomes.get(record.agent_id) ?? [],
    cost: ofCosts.get(record.agent_id)?.[0]?.sums ?? {}
  }))
}

async function selectRecords(store: OrganizationStore): Promise<readonly AgentRecord[]> {
  return await store.query<AgentRecord>(
    `select ${recordColumns}
       from ${recordTables}
      where a.organization_id = $1
      order by a.last_received_at desc, a.agent_id
      limit ${agentsMax}`,
    [store.organizationId]
  )
}

/** The first member of a key is the agent; none is the decisions that name none. */
function byAgent(rows: readonly SumRow[]): ReadonlyMap<string, readonly SumRow[]> {
  return Map.groupBy(rows, agentOf)
}

export function agentOf({ key }: SumRow): string {
  return (JSON.parse(key ?? '[]') as (string | null)[])[0] ?? ''
}
