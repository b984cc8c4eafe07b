/** Compares two versions of an agent, using samples of their newest decisions: computes
 * differences, their confidence intervals and their significance.
 */
import { wilsonInterval, z } from '../../core/evaluation/interval.ts'
import type { ConfidenceInterval } from '../../core/evaluation/interval.ts'
import { query, raw, sql } from '../../platform/postgres/sql.ts'
import { textEquals } from '../../platform/postgres/text-condition.ts'
import { invalidQuery } from '../page.ts'
import { floatOf } from '../stats/select-sums.ts'
import { dayMs } from '../stats/time-buckets.ts'
import type { AgentQuery } from './queries.ts'

export const versionSampleMax = 2000
/** Maximum number of the agent's decisions to scan. Most of them can belong to other versions. */
const scannedMax = 20_000
/** Maximum length of the range in days. A statement locks every daily partition it opens. */
export const compareDaysMax = 31

/** @throws {Problem} 422 if a version has no decisions in the range */
export async function compareVersions(
  agent: AgentQuery,
  { a, b }: { readonly a: string; readonly b: string }
) {
  const [left, right] = await Promise.all([a, b].map((version) => readSide(agent, version)))
  if (!left || !right) {
    const detail = 'is not a version of this agent in the selected time'
    throw invalidQuery([{ pointer: left ? '/b' : '/a', detail }])
  }
  return {
    a: { version: a, n: left.n, since: left.since, until: left.until },
    b: { version: b, n: right.n, since: right.since, until: right.until },
    measures: {
      input_tokens: compareMeans(left.input_tokens, right.input_tokens),
      output_tokens: compareMeans(left.output_tokens, right.output_tokens),
      latency_ms: compareMeans(left.latency_ms, right.latency_ms),
      error_rate: compareRates(left.error_rate, right.error_rate),
      pass_rate: compareRates(left.pass_rate, right.pass_rate)
    },
    scores: compareScores(left.scores, right.scores)
  }
}

async function readSide(agent: AgentQuery, version: string) {
  const sample = await selectVersionSample(agent, version)
  return sample === null ? null : { ...sample, scores: await selectScoreSamples(agent, sample) }
}

/**
 * Compares only scores from the same evaluator version, because different versions may measure
 * different things.
 */
function compareScores(left: readonly ScoreSample[], right: readonly ScoreSample[]) {
  const keyOf = ({ name, source, evaluator_id, version }: ScoreSample) =>
    JSON.stringify([name, source, evaluator_id, version])
  const others = new Map(right.map((score) => [keyOf(score), score]))
  return left.flatMap((a) => {
    const b = others.get(keyOf(a))
    if (b === undefined) return []
    const mean = compareMeans(a.mean, b.mean)
    return [{ ...a, mean, pass_rate: compareRates(a.pass_rate, b.pass_rate) }]
  })
}

interface MeanSample {
  readonly n: number
  readonly mean: number | null
  readonly deviation: number | null
}

interface RateSample {
  readonly n: number
  readonly part: number
}

/**
 * Minimum sample size for a confidence interval. For smaller samples, the normal approximation
 * would understate the uncertainty.
 */
const meansMin = 20

/** Compares means, using the unequal-variances (Welch) interval with the normal approximation. */
export function compareMeans(a: MeanSample, b: MeanSample) {
  const ends = { a: { value: a.mean, n: a.n }, b: { value: b.mean, n: b.n } }
  if (a.mean === null || b.mean === null) return { ...ends, ...nothing }
  const delta = b.mean - a.mean
  const isKnown = a.deviation !== null && b.deviation !== null && Math.min(a.n, b.n) >= meansMin
  if (!isKnown) return { ...ends, delta, ci: null, significant: null }
  const half = z * Math.sqrt(a.deviation ** 2 / a.n + b.deviation ** 2 / b.n)
  return judged(ends, delta, [delta - half, delta + half])
}

/**
 * Compares rates, using Newcombe's interval (from two Wilson intervals). It is valid for small
 * samples and for rates of 0.
 */
export function compareRates(a: RateSample, b: RateSample) {
  const left = rateOf(a)
  const right = rateOf(b)
  const ends = { a: { value: left.value, n: a.n }, b: { value: right.value, n: b.n } }
  if (left.ci === null || right.ci === null) return { ...ends, ...nothing }
  const delta = right.value - left.value
  const below = Math.hypot(right.value - right.ci[0], left.ci[1] - left.value)
  const above = Math.hypot(right.ci[1] - right.value, left.value - left.ci[0])
  return judged(ends, delta, [delta - below, delta + above])
}

const nothing = { delta: null, ci: null, significant: null }

function rateOf({ n, part }: RateSample) {
  const ci = wilsonInterval(part, n)
  return ci === null ? { value: null, ci } : { value: part / n, ci }
}

/** @param ci the 95 % confidence interval of `delta` */
function judged<Ends extends object>(ends: Ends, delta: number, ci: ConfidenceInterval) {
  return { ...ends, delta, ci, significant: ci[0] > 0 || ci[1] < 0 }
}

/**
 * Returns SQL for the `MeanSample` of a column. Computes with type `numeric`, because sums of large
 * floats would be inexact.
 */
function meanOf(column: string) {
  return raw(`json_build_object('n', count(${column}),
              'mean', ${floatOf(`avg(${column}::numeric)`)},
              'deviation', ${floatOf(`stddev_samp(${column}::numeric)`)})`)
}

type VersionSample = {
  readonly ids: readonly string[]
  readonly n: number
  readonly since: Date | null
  readonly until: Date | null
} & Readonly<Record<'input_tokens' | 'output_tokens' | 'latency_ms', MeanSample>> &
  Readonly<Record<'error_rate' | 'pass_rate', RateSample>>

/** @returns null if the version has no decisions in the range */
async function selectVersionSample(
  agent: AgentQuery,
  version: string
): Promise<VersionSample | null> {
  const hours = await hoursOf(agent, version)
  if (hours === null) return null
  const { store, agentId } = agent
  const ofAgent =
    agentId === '' ? sql`coalesce(agent_id, '') = ''` : textEquals(raw('agent_id'), agentId)
  const [sample] = await query<VersionSample>(
    store,
    sql`with scanned as materialized (
       select decision_id, received_at, agent_version, input_tokens, output_tokens, latency_ms,
              is_error
         from decisions
        where organization_id = ${store.organizationId}
          and ${ofAgent}
          and received_at >= ${hours.since}
          and received_at < ${hours.until}
        order by received_at desc, decision_id desc
        limit ${raw(scannedMax)}
     ), sampled as materialized (
       select * from scanned where agent_version = ${version}
        order by received_at desc, decision_id desc
        limit ${raw(versionSampleMax)}
     )
     select coalesce(array_agg(s.decision_id), '{}') as ids, count(*) as n,
            min(s.received_at) as since, max(s.received_at) as until,
            ${meanOf('s.input_tokens')} as input_tokens,
            ${meanOf('s.output_tokens')} as output_tokens,
            ${meanOf('s.latency_ms')} as latency_ms,
            json_build_object('n', count(s.is_error),
              'part', count(*) filter (where s.is_error)) as error_rate,
            json_build_object('n', count(*) filter (where o.verdict <> 'none'),
              'part', count(*) filter (where o.verdict = 'pass')) as pass_rate
       from sampled s
       left join evaluations o
         on o.organization_id = ${store.organizationId}
        and o.decision_id = s.decision_id
        and o.received_at = s.received_at`
  )
  return sample ?? null
}

/** Determines from the hourly sums which hours contain the newest decisions of a version. */
async function hoursOf({ store, agentId, range: { from, to } }: AgentQuery, version: string) {
  const earliest = new Date(Math.max(from, to - compareDaysMax * dayMs))
  const [hours] = await query<{ since: Date | null; until: Date | null }>(
    store,
    sql`select min(hour) as since, max(hour) + interval '1 hour' as until
       from (select hour, sum(decisions) over (order by hour desc) - decisions as newer
               from decision_facet_hours
              where organization_id = ${store.organizationId}
                and agent_id = ${agentId}
                and hour >= ${earliest}
                and hour < ${new Date(to)}
                and facet = 'agent_version'
                and value = ${version}
                and decisions > 0) hours
      where newer < ${raw(versionSampleMax)}`
  )
  return hours === undefined || hours.since === null ? null : hours
}

type ScoreSample = {
  readonly name: string
  readonly source: string
  readonly evaluator_id: string | null
  readonly version: number | null
  readonly mean: MeanSample
  readonly pass_rate: RateSample
}

/**
 * Summarizes the scores of the sample. Only the newest score of each decision, name and source kind
 * counts, so corrections replace earlier scores.
 */
function selectScoreSamples(
  { store }: AgentQuery,
  { ids, since, until }: VersionSample
): Promise<readonly ScoreSample[]> {
  return query<ScoreSample>(
    store,
    sql`with newest as (
       select distinct on (decision_id, name, source_kind) *
         from scores
        where organization_id = ${store.organizationId}
          and decision_id = any(${ids}::uuid[])
          and received_at >= ${since}
          and received_at <= ${until}
        order by decision_id, name, source_kind, evaluated_at desc, score_id desc
     )
     select name, source_kind as source, evaluator_id, evaluator_version as version,
            ${meanOf('value')} as mean,
            json_build_object('n', count(passed),
              'part', count(*) filter (where passed)) as pass_rate
       from newest
      group by 1, 2, 3, 4
      order by 1, 2, 3, 4
      limit 200`
  )
}
