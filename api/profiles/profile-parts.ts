/** The parts of a profile that have routes of their own. */
import { jsonReply } from '../../http/call.ts'
import type { CheckedCall, PrincipalHandle } from '../../http/route.ts'
import { hourRangeOf } from '../stats/hour-range.ts'
import type { HourRange, PeriodTexts } from '../stats/hour-range.ts'
import { statsOf } from '../stats/read-stats.ts'
import { selectSums } from '../stats/select-sums.ts'
import type { StatsTexts } from '../stats/stats-query.ts'
import { decisionSource } from '../stats/sum-sources.ts'
import { bucketsOf } from '../stats/time-buckets.ts'
import type { OrganizationStore } from '../store.ts'
import { agentNameOf } from './agent-name.ts'
import { costOf } from './measures/agent-cost.ts'
import { readIngestion } from './measures/agent-ingestion.ts'
import { pricesOf } from './agent-record.ts'
import type { AgentRecord } from './agent-record.ts'
import { scoresOf, selectScores } from './measures/agent-scores.ts'
import { nowOf } from './measures/agent-sums.ts'
import { findAgent } from './find-agent.ts'
import { appliedOf } from './read-profile.ts'
import type { ProfileDependencies } from './read-profile.ts'
import { domainsOf, selectDomains } from './measures/select-domains.ts'
import { facetView, selectFacets } from './measures/select-facets.ts'
import { selectSessions } from './measures/select-sessions.ts'

/** How the versions of an agent are called here. */
const groupOf = {
  none: 'none',
  version: 'agent_version',
  domain: 'domain',
  model: 'model'
} as const
export const trendGroups = Object.keys(groupOf) as (keyof typeof groupOf)[]

interface Part {
  readonly ours: OrganizationStore
  readonly record: AgentRecord
  readonly range: HourRange
  readonly call: CheckedCall
}

export function createProfileParts(dependencies: ProfileDependencies) {
  /** Finds the agent, and wraps what `read` finds of it. */
  const part = (read: (part: Part) => Promise<object>): PrincipalHandle => {
    return async function readPart(call) {
      const { window, from, to } = call.query as PeriodTexts
      const range = hourRangeOf({ window, from, to }, dependencies.clock.now())
      const ours = dependencies.store.of(call.principal.organization_id)
      const name = call.params['agent_id'] ?? ''
      const { record, lag } = await findAgent(ours, name, dependencies)
      const data = await read({ ours, record, range, call })
      const agent_id = agentNameOf(record.agent_id)
      const meta = { applied: appliedOf(range), ...lag }
      return jsonReply(200, JSON.stringify({ agent_id, ...data, meta }))
    }
  }
  return {
    readTimeseries: createTimeseries(dependencies),
    readProfileScores: part(readScores),
    readVersions: part(readVersions),
    readDomains: part(async ({ ours, record, range }) => {
      return { domains: domainsOf(await selectDomains(ours, record.agent_id, range)) }
    }),
    readAgentIngestion: part(async ({ ours, record, range }) => {
      const { clock, readFacts } = dependencies
      const { organizationId } = ours
      const now = clock.now()
      const query = { organizationId, agentId: record.agent_id, range, now }
      return { ingestion: await readIngestion(readFacts, query) }
    }),
    readSessions: part(async ({ ours, record, range }) => {
      return await selectSessions(ours, record.agent_id, range)
    })
  }
}

function createTimeseries(dependencies: ProfileDependencies): PrincipalHandle {
  return async function readTimeseries({ principal, params, query }) {
    const { organization_id } = principal
    const texts = query as unknown as Omit<StatsTexts, 'group_by'> & {
      readonly group_by: keyof typeof groupOf
    }
    const ours = dependencies.store.of(organization_id)
    const { record } = await findAgent(ours, params['agent_id'] ?? '', dependencies)
    const asked = { agent_id: agentNameOf(record.agent_id), group_by: groupOf[texts.group_by] }
    return jsonReply(200, await statsOf(dependencies, organization_id, { ...texts, ...asked }))
  }
}

async function readScores({ ours, record, range, call }: Part) {
  const { name } = call.query as { name?: string }
  const agentId = record.agent_id
  const { starts } = bucketsOf(range, 'auto', 'UTC')
  const from = [range.from, ...starts.slice(1)]
  const [rows, decisions] = await Promise.all([
    selectScores(ours, { agentId, name, to: range.to, starts: from }),
    selectSums(ours, decisionSource, {
      ...{ groups: [], filters: { agentId }, from: range.from, to: range.to, starts: [range.from] },
      seriesMax: 1
    })
  ])
  return { scores: scoresOf(rows, from, nowOf(decisions)['decisions'] ?? 0) }
}

async function readVersions({ ours, record, range }: Part) {
  const facets = await selectFacets(ours, record.agent_id, range)
  const prices = pricesOf(record)
  const of = (facet: string) => facets.filter((row) => row.facet === facet)
  return {
    versions: of('agent_version').map(facetView),
    models: of('model').map((row) => {
      return { ...facetView(row), cost: costOf(prices, [{ ...row, model: row.value }]) }
    }),
    sdk_versions: of('sdk_version').map(facetView)
  }
}
