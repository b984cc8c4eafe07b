/** GET /v1/profiles/:agent_id: everything that is known of an agent, on one page. */
import { jsonReply } from '../../http/call.ts'
import type { ReadFacts } from '../../usage/read-facts.ts'
import type { PrincipalHandle } from '../../http/route.ts'
import { hourRangeOf, previousOf } from '../stats/hour-range.ts'
import type { HourRange } from '../stats/hour-range.ts'
import { selectSums } from '../stats/select-sums.ts'
import type { SumRow } from '../stats/sum-rows.ts'
import { decisionSource, outcomeSource } from '../stats/sum-sources.ts'
import type { OrganizationStore, Store } from '../store.ts'
import { costOf } from './measures/agent-cost.ts'
import type { ModelTokens, Prices } from './measures/agent-cost.ts'
import { readIngestion } from './measures/agent-ingestion.ts'
import { editableOf, identityOf, pricesOf, timesOf } from './agent-record.ts'
import { scoresOf, selectScores } from './measures/agent-scores.ts'
import { statusOf } from './measures/agent-status.ts'
import { errorRateOf, nowOf, outcomesOf, percentilesOf } from './measures/agent-sums.ts'
import { lineOf, sparklineOf, statesMax, tokensOf, volumeOf } from './measures/agent-sums.ts'
import { findAgent } from './find-agent.ts'
import type { FindAgentDependencies, FoundAgent } from './find-agent.ts'
import { readSilence } from './measures/read-silence.ts'
import { domainsOf, selectDomains } from './measures/select-domains.ts'
import { facetView, meanLatencyOf, selectFacets } from './measures/select-facets.ts'
import type { FacetRow } from './measures/select-facets.ts'
import { selectSample } from './measures/select-sample.ts'
import type { Sample } from './measures/select-sample.ts'
import { selectWorst, worstView } from './measures/select-worst.ts'

export interface ProfileDependencies extends FindAgentDependencies {
  readonly store: Store
  readonly readFacts: Pick<ReadFacts, 'agentIngestion'>
}

type Parts = Awaited<ReturnType<typeof readParts>>

export function createReadProfile(dependencies: ProfileDependencies): PrincipalHandle {
  const { store, clock, readFacts } = dependencies

  return async function readProfile({ principal, params, query }) {
    const ours = store.of(principal.organization_id)
    const { window } = query as { window: string }
    const range = hourRangeOf({ window }, clock.now())
    // The watermark before the sums: whatever it promises is then among them.
    const found = await findAgent(ours, params['agent_id'] ?? '', dependencies)
    const agentId = found.record.agent_id
    const ofAgent = { organizationId: ours.organizationId, agentId, range, now: clock.now() }
    const [parts, ingestion] = await Promise.all([
      readParts(ours, found, range),
      readIngestion(readFacts, ofAgent)
    ])
    const answer = {
      ...headOf(found, parts),
      ...editableOf(found.record),
      ...measuresOf(parts, range, pricesOf(found.record)),
      ingestion,
      meta: { applied: appliedOf(range), ...found.lag }
    }
    return jsonReply(200, JSON.stringify(answer))
  }
}

async function readParts(store: OrganizationStore, found: FoundAgent, range: HourRange) {
  const agentId = found.record.agent_id
  const line = lineOf(range)
  const { starts } = line
  const sums = { filters: { agentId }, from: previousOf(range).from, to: range.to }
  const [trend, outcomes, scores, domains, facets, sample, worst, silences] = await Promise.all([
    selectSums(store, decisionSource, { ...sums, groups: [], starts, seriesMax: 1 }),
    selectSums(store, outcomeSource, {
      ...sums,
      groups: ['status', 'verdict'],
      starts: [range.from],
      seriesMax: statesMax
    }),
    selectScores(store, { agentId, to: range.to, starts }),
    selectDomains(store, agentId, range),
    selectFacets(store, agentId, range),
    selectSample(store, agentId, range),
    selectWorst(store, agentId, range),
    readSilence(store, [timesOf(found.record)], found.knownUntil)
  ])
  return { line, trend, outcomes, scores, domains, facets, sample, worst, silences }
}

function headOf({ record, knownUntil }: FoundAgent, { silences }: Parts) {
  const silence = silences.get(record.agent_id) ?? null
  const status = statusOf(timesOf(record), silence, knownUntil)
  return { ...identityOf(record), status, silence }
}

function measuresOf(parts: Parts, range: HourRange, prices: Prices | null) {
  const { line, trend, outcomes, scores, domains, facets, sample, worst } = parts
  const now = nowOf(trend)
  const decisions = now['decisions'] ?? 0
  const { pass_rate, pass_rate_before, verdicts, evaluation } = outcomesOf(outcomes, decisions)
  return {
    volume: { ...volumeOf(trend, range), sparkline: sparklineOf(trend, line) },
    tokens: tokensOf(now, sample),
    cost: costOf(prices, modelTokensOf(facets, trend)),
    pass_rate: { ...pass_rate, previous: pass_rate_before },
    ...{ verdicts, evaluation, scores: scoresOf(scores, line.starts, decisions) },
    error_rate: errorRateOf(now),
    latency_ms: { ...meanLatencyOf(now), ...percentilesOf(sample.latency_ms) },
    domains: domainsOf(domains),
    sessions: sessionsOf(sample),
    sample: { n: sample.n, since: sample.since?.toISOString() ?? null },
    versions: facetsOf(facets, 'agent_version'),
    models: facetsOf(facets, 'model'),
    sdk_versions: facetsOf(facets, 'sdk_version'),
    worst: worst.map(worstView)
  }
}

export function facetsOf(rows: readonly FacetRow[], facet: FacetRow['facet']) {
  return rows.filter((row) => row.facet === facet).map(facetView)
}

/** By model, and what is left over for those that name none. */
export function modelTokensOf(
  facets: readonly FacetRow[],
  trend: readonly SumRow[]
): readonly ModelTokens[] {
  const models = facets.filter(({ facet }) => facet === 'model')
  const all = nowOf(trend)
  const rest = (name: 'input_tokens' | 'output_tokens') => {
    const told = models.reduce((sum, row) => sum + row[name], 0)
    return Math.max(0, (all[name] ?? 0) - told)
  }
  const unnamed = { input_tokens: rest('input_tokens'), output_tokens: rest('output_tokens') }
  return [...models.map((row) => ({ ...row, model: row.value })), { model: null, ...unnamed }]
}

function sessionsOf({ sessions, in_sessions }: Sample) {
  const decisions_per_session = sessions === 0 ? null : in_sessions / sessions
  return { count: sessions, decisions: in_sessions, decisions_per_session }
}

export function appliedOf({ from, to }: HourRange) {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}
