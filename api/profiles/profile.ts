/** Assembles the profile of an agent from its measures in a range and in the preceding range. */
import { query, raw, sql } from '../../platform/postgres/sql.ts'
import { keptSince } from '../../usage/usage-keys.ts'
import type { Services } from '../services.ts'
import { meanOf, measureOf } from '../stats/metrics.ts'
import { rangeDaysMax } from '../stats/query.ts'
import { floatOf, selectSums } from '../stats/select-sums.ts'
import type { SumRow } from '../stats/select-sums.ts'
import { nowOf, sumOf } from '../stats/stats-series.ts'
import { decisionSource, decisionSums, outcomeSource, scoreSource } from '../stats/sum-sources.ts'
import type { FacetName } from '../stats/sum-sources.ts'
import { dayMs, previousOf } from '../stats/time-buckets.ts'
import { agentNameOf } from './agent-name.ts'
import { readSilence, statusOf } from './agent-status.ts'
import { costOf, latencyOf, measuresOf, outcomesOf, percentilesOf } from './agent-sums.ts'
import { sparklineGridOf, sparklineOf, statesMax, tokensOf, volumeOf } from './agent-sums.ts'
import { withOtherTokens } from './agent-sums.ts'
import { selectSample, selectWorst } from './newest-decisions.ts'
import { timesOf } from './queries.ts'
import type { AgentQuery, AgentRecord } from './queries.ts'

/**
 * Maximum number of combinations of score name, source and evaluator version. Agents are not
 * expected to have more.
 */
const scoresMax = 100
const domainsMax = 50
const facetValuesMax = 50

/** @param knownUntil the time up to which decisions are stored, in milliseconds since 1970 */
export async function readProfile(
  agent: AgentQuery,
  { record, knownUntil }: { readonly record: AgentRecord; readonly knownUntil: number }
) {
  const { store, agentId, range } = agent
  const grid = sparklineGridOf(range)
  const sums = { filters: { agentId }, from: previousOf(range).from, to: range.to }
  const [trend, outcomes, scores, domains, facets, sample, worst, silences] = await Promise.all([
    selectSums(store, decisionSource, { ...sums, groups: [], starts: grid.starts, seriesMax: 1 }),
    selectSums(store, outcomeSource, {
      ...sums,
      groups: ['status', 'verdict'],
      starts: [range.from],
      seriesMax: statesMax
    }),
    selectScores(agent, grid.starts),
    readDomains(agent),
    selectFacets(agent),
    selectSample(agent),
    selectWorst(agent),
    readSilence(store, [timesOf(record)], knownUntil)
  ])
  const now = nowOf(trend)
  const ofFacets = facetsOf(facets)
  const silence = silences.get(agentId) ?? null
  const { n, since, sessions: count, in_sessions: decisions } = sample
  return {
    ...record,
    agent_id: agentNameOf(agentId),
    status: statusOf(timesOf(record), silence, knownUntil),
    silence,
    volume: { ...volumeOf(trend, range), sparkline: sparklineOf(trend, grid) },
    tokens: tokensOf(now, sample),
    cost: costOf(record.prices, withOtherTokens(ofFacets.models, now)),
    ...outcomesOf(outcomes, now.decisions ?? 0),
    scores: scoresOf(scores, grid.starts, now.decisions ?? 0),
    error_rate: measureOf('error_rate', now),
    latency_ms: { ...latencyOf(now), ...percentilesOf(sample.latency_ms) },
    domains,
    sessions: { count, decisions, decisions_per_session: count === 0 ? null : decisions / count },
    sample: { n, since },
    ...ofFacets,
    worst
  }
}

/** @param starts the start of each point; the first one is the start of the range */
export function selectScores(
  { store, agentId, range }: AgentQuery,
  starts: readonly number[],
  name?: string
): Promise<readonly SumRow[]> {
  const names = name === undefined ? undefined : [name]
  return selectSums(store, scoreSource, {
    groups: [],
    filters: { agentId, names },
    from: starts[0] ?? range.to,
    to: range.to,
    starts,
    seriesMax: scoresMax
  })
}

/** @param eligible the number of decisions that could have been scored */
export function scoresOf(rows: readonly SumRow[], starts: readonly number[], eligible: number) {
  const startOf = (bucket: number) => new Date(starts[bucket - 1] ?? 0)
  const scores = [...Map.groupBy(rows, ({ identity }) => identity)].map(([identity, points]) => {
    type Identity = [name: string, source: string, evaluator: string, version: number]
    const [name, source, evaluator, version] = JSON.parse(identity) as Identity
    const sums = sumOf(points.map((row) => row.sums))
    const { value: mean, ci: mean_ci, n: n_valued } = meanOf(sums)
    return {
      name,
      source,
      evaluator_id: evaluator === '' ? null : evaluator,
      version: evaluator === '' ? null : version,
      n_scored: sums.scores ?? 0,
      n_eligible: eligible,
      mean,
      mean_ci,
      n_valued,
      pass_rate: measureOf('pass_rate', sums),
      first_seen: startOf(Math.min(...points.map(({ bucket }) => bucket))),
      points: points
        .toSorted((left, right) => left.bucket - right.bucket)
        .map(({ bucket, sums: ofPoint }) => {
          const pass_rate = measureOf('pass_rate', ofPoint)
          return { t: startOf(bucket), ...meanOf(ofPoint), pass_rate }
        })
    }
  })
  return scores.toSorted((left, right) => right.n_scored - left.n_scored)
}

/** Reads the domains with the most decisions, largest first. */
export async function readDomains({ store, agentId, range: { from, to } }: AgentQuery) {
  const wanted = { groups: ['domain'], filters: { agentId }, from, to, starts: [from] } as const
  const rows = await selectSums(store, decisionSource, { ...wanted, seriesMax: domainsMax })
  const domains = rows.map(({ key, sums }) => {
    const [domain = null] = JSON.parse(key ?? '[]') as (string | null)[]
    return { domain, ...measuresOf(sums) }
  })
  return domains.toSorted((left, right) => right.decisions - left.decisions)
}

/** The sums cover the requested range. `first_hour` and `last_hour` can be outside it. */
type FacetRow = Readonly<Record<(typeof decisionSums)[number], number>> & {
  readonly facet: FacetName
  readonly value: string
  readonly first_hour: Date
  readonly last_hour: Date
}

/** Selects the most recently seen versions, models and SDK versions. */
export function selectFacets({ store, agentId, range }: AgentQuery): Promise<readonly FacetRow[]> {
  const from = new Date(range.from)
  const to = new Date(range.to)
  const sums = decisionSums.map((name) => {
    return `${floatOf(`coalesce(sum(${name}) filter (where is_inside), 0)`)} as ${name}`
  })
  return query<FacetRow>(
    store,
    sql`with hours as (
       select *, hour >= ${from} as is_inside
         from decision_facet_hours
        where organization_id = ${store.organizationId}
          and agent_id = ${agentId}
          and hour >= ${new Date(range.to - rangeDaysMax * dayMs)}
          and hour < ${to}
          and decisions > 0
     ), seen as (
       select facet, value, min(hour) as first_hour, max(hour) as last_hour,
              ${raw(sums.join(', '))}
         from hours
        group by facet, value
     ), placed as (
       select seen.*, row_number() over (partition by facet
                                         order by last_hour desc, decisions desc, value) as place
         from seen
     )
     select * from placed where place <= ${facetValuesMax} order by facet, place`
  )
}

/** Returns the versions, models and SDK versions, each with its measures. */
export function facetsOf(rows: readonly FacetRow[]) {
  const viewsOf = (facet: FacetName) => {
    const ofFacet = rows.filter((row) => row.facet === facet)
    return ofFacet.map(({ value, first_hour: first_seen, last_hour: last_seen, ...sums }) => {
      return { value, first_seen, last_seen, ...measuresOf(sums) }
    })
  }
  return {
    versions: viewsOf('agent_version'),
    models: viewsOf('model'),
    sdk_versions: viewsOf('sdk_version')
  }
}

/**
 * Reads the number of decisions of an agent that the gateway rejected or the SDK dropped.
 * @returns null if Redis is unavailable, because unknown does not mean none
 */
export async function readIngestion(
  { readUsage, clock }: Services,
  { store, agentId, range }: AgentQuery
) {
  const since = Math.max(range.from, keptSince(clock.now()))
  const found = await readUsage.agentIngestion(store.organizationId, agentId, since)
  if (found === null) return null
  const { hours, ...counts } = found
  return {
    since: new Date(since),
    ...counts,
    hours: hours.map(({ hour, ...ofHour }) => ({ t: new Date(hour), ...ofHour }))
  }
}
