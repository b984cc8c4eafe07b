/** GET /v1/profiles: the agents of an organization, and how they are. */
import type { Row } from '../../platform/postgres/postgres.ts'
import { jsonReply } from '../../http/call.ts'
import type { PrincipalHandle } from '../../http/route.ts'
import { hourRangeOf } from '../stats/hour-range.ts'
import type { HourRange } from '../stats/hour-range.ts'
import { selectSums } from '../stats/select-sums.ts'
import type { SumRow } from '../stats/sum-rows.ts'
import { decisionSource } from '../stats/sum-sources.ts'
import type { OrganizationStore } from '../store.ts'
import { lagOf, readWatermark } from '../watermark.ts'
import { jsonListOf } from '../json-list.ts'
import { agentNameOf } from './agent-name.ts'
import { agentPage } from './agent-page.ts'
import type { SortName } from './agent-page.ts'
import { identityOf, timesOf } from './agent-record.ts'
import { statusOf } from './measures/agent-status.ts'
import type { AgentStatus } from './measures/agent-status.ts'
import { errorRateOf, lineOf, nowOf, passRateOf, sparklineOf } from './measures/agent-sums.ts'
import { volumeOf } from './measures/agent-sums.ts'
import { agentOf, agentsMax, readAgents, readCandidates } from './read-agents.ts'
import type { Candidate, ListedAgent } from './read-agents.ts'
import type { ProfileDependencies } from './read-profile.ts'
import { appliedOf } from './read-profile.ts'
import { readSilence } from './measures/read-silence.ts'

interface ListTexts {
  readonly window: string
  readonly q?: string
  readonly tag?: string
  readonly status?: AgentStatus
  readonly sort: string
  readonly limit: number
  readonly cursor?: string
}

/** Of each agent. */
const versionsMax = 3

export function createListProfiles(dependencies: ProfileDependencies): PrincipalHandle {
  const { store, clock, decisionsTopic } = dependencies

  return async function listProfiles({ principal, query }) {
    const { cursor, limit, sort, ...filters } = query as unknown as ListTexts
    const now = clock.now()
    const range = hourRangeOf({ window: filters.window }, now)
    const ours = store.of(principal.organization_id)
    const watermark = await readWatermark(ours, decisionsTopic)
    const knownUntil = Math.min(now, watermark.as_of?.getTime() ?? now)
    const sortedBy = sort.replace('-', '') as SortName
    const agents = await readCandidates(ours, { tag: filters.tag, sort: sortedBy, range })
    const chosen = await choose(ours, agents, { filters, knownUntil })
    const { page, next_cursor } = agentPage(chosen, { sort, limit, cursor, filters })
    const rows = await rowsOf(ours, page, { range, knownUntil })
    const meta = {
      ...{ next_cursor, limit, applied: { ...appliedOf(range), sort } },
      ...{ cut: agents.length >= agentsMax, ...lagOf(watermark, clock) }
    }
    const data = await jsonListOf(rows, (row) => row)
    return jsonReply(200, `{"data":${data},"meta":${JSON.stringify(meta)}}`)
  }
}

/** Who is archived is shown only when asked for. */
async function choose(
  store: OrganizationStore,
  agents: readonly Candidate[],
  { filters, knownUntil }: { filters: Pick<ListTexts, 'q' | 'status'>; knownUntil: number }
): Promise<readonly Candidate[]> {
  const { q, status } = filters
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

interface RowsOptions {
  readonly range: HourRange
  readonly knownUntil: number
}

/** What takes a look at each agent is read for the page alone. */
async function rowsOf(
  store: OrganizationStore,
  page: readonly Candidate[],
  { range, knownUntil }: RowsOptions
) {
  const agentIds = page.map(({ agentId }) => agentId)
  if (agentIds.length === 0) return []
  const line = lineOf(range)
  const { from, to } = range
  const [agents, trends, versions, silences] = await Promise.all([
    readAgents(store, agentIds, range),
    selectSums(store, decisionSource, {
      ...{ groups: ['agent_id'], filters: { agentIds }, from, to, starts: line.starts },
      ...{ sums: ['decisions'], seriesMax: agentIds.length }
    }),
    selectVersions(store, agentIds, range),
    readSilence(store, page, knownUntil)
  ])
  const trendOf = Map.groupBy(trends, agentOf)
  return agents.map((agent) => {
    const { agent_id } = agent.record
    const silence = silences.get(agent_id) ?? null
    return {
      ...identityOf(agent.record),
      status: statusOf(timesOf(agent.record), silence, knownUntil),
      ...measuresOf(agent, range, sparklineOf(trendOf.get(agent_id) ?? [], line)),
      versions: versions.filter((row) => row.agent_id === agent_id).map(({ value }) => value)
    }
  })
}

function measuresOf(
  { decisions, outcomes, cost }: ListedAgent,
  range: HourRange,
  sparkline: readonly { readonly t: string; readonly n: number }[]
) {
  const now = nowOf(decisions)
  const kind = (name: 'input_tokens' | 'output_tokens') => {
    return (now[`${name}_known`] ?? 0) === 0 ? null : (now[name] ?? 0)
  }
  return {
    volume: volumeOf(decisions, range),
    sparkline,
    tokens: { input: kind('input_tokens'), output: kind('output_tokens') },
    cost: costOf(cost),
    pass_rate: passRateOf(nowOf(outcomes)),
    error_rate: errorRateOf(now),
    evaluation: evaluationOf(outcomes)
  }
}

function evaluationOf(outcomes: readonly SumRow[]) {
  const countOf = (status: string): number => {
    const rows = outcomes.filter(({ bucket, key }) => {
      return bucket > 0 && (JSON.parse(key ?? '[]') as string[])[1] === status
    })
    return rows.reduce((sum, { sums }) => sum + (sums['decisions'] ?? 0), 0)
  }
  return { evaluated: countOf('evaluated'), partial: countOf('partial'), failed: countOf('failed') }
}

function costOf({ usd = 0, priced_tokens = 0, tokens = 0 }: ListedAgent['cost']) {
  if (priced_tokens <= 0) return null
  return { usd, priced_share: Math.min(1, priced_tokens / tokens), price_source: 'profile' }
}

/** Those that were seen last, the newest first. */
async function selectVersions(
  store: OrganizationStore,
  agentIds: readonly string[],
  { from, to }: HourRange
): Promise<readonly (Row & { agent_id: string; value: string })[]> {
  return await store.query(
    `select agent_id, value
       from (select agent_id, value,
                    row_number() over (partition by agent_id
                                       order by max(hour) desc, sum(decisions) desc, value) as place
               from decision_facet_hours
              where organization_id = $1
                and agent_id = any($2)
                and hour >= $3
                and hour < $4
                and facet = 'agent_version'
                and decisions > 0
              group by agent_id, value) seen
      where place <= ${versionsMax}
      order by agent_id, place`,
    [store.organizationId, agentIds, new Date(from).toISOString(), new Date(to).toISOString()]
  )
}
