/** The newest decisions of one version of an agent, summed up for a comparison. */
import type { Row } from '../../platform/postgres/postgres.ts'
import { textCondition } from '../../platform/postgres/text-condition.ts'
import { dayMs } from '../stats/hour-range.ts'
import type { HourRange } from '../stats/hour-range.ts'
import { floatOf } from '../stats/select-sums.ts'
import type { OrganizationStore } from '../store.ts'

export const versionSampleMax = 2000
/** Of the agent's decisions in that time, where another version takes most of them. */
const scannedMax = 20_000
/** A statement that opens more days than this holds too many locks. */
export const compareDaysMax = 31

export interface VersionSample extends Row {
  readonly ids: readonly string[]
  readonly n: number
  readonly since: Date | null
  readonly until: Date | null
  readonly input_n: number
  readonly input_mean: number | null
  readonly input_deviation: number | null
  readonly output_n: number
  readonly output_mean: number | null
  readonly output_deviation: number | null
  readonly latency_n: number
  readonly latency_mean: number | null
  readonly latency_deviation: number | null
  readonly errors_n: number
  readonly errors: number
  readonly judged: number
  readonly passed: number
}

export interface VersionQuery {
  readonly agentId: string
  readonly version: string
  readonly range: HourRange
}

/** How many tell it, their mean, and how far they lie apart; of numbers of any size. */
function spread(column: string, name: string): string {
  return `count(${column}) as ${name}n, ${floatOf(`avg(${column}::numeric)`)} as ${name}mean,
            ${floatOf(`stddev_samp(${column}::numeric)`)} as ${name}deviation`
}

/** @returns null where the version has no decision in that time */
export async function selectVersionSample(
  store: OrganizationStore,
  { agentId, version, range }: VersionQuery
): Promise<VersionSample | null> {
  const hours = await hoursOf(store, { agentId, version, range })
  if (hours === null) return null
  const ofAgent = agentId === '' ? `coalesce(agent_id, '') = $2` : textOf(agentId)
  const [sample] = await store.query<VersionSample>(
    `with scanned as materialized (
       select decision_id, received_at, agent_version, input_tokens, output_tokens, latency_ms,
              is_error
         from decisions
        where organization_id = $1
          and ${ofAgent}
          and received_at >= $3
          and received_at < $4
        order by received_at desc, decision_id desc
        limit ${scannedMax}
     ), sampled as materialized (
       select * from scanned where agent_version = $5 order by received_at desc
        limit ${versionSampleMax}
     )
     select coalesce(array_agg(s.decision_id), '{}') as ids, count(*) as n,
            min(s.received_at) as since, max(s.received_at) as until,
            ${spread('s.input_tokens', 'input_')},
            ${spread('s.output_tokens', 'output_')},
            ${spread('s.latency_ms', 'latency_')},
            count(s.is_error) as errors_n, count(*) filter (where s.is_error) as errors,
            count(*) filter (where o.verdict <> 'none') as judged,
            count(*) filter (where o.verdict = 'pass') as passed
       from sampled s
       left join evaluations o
         on o.organization_id = $1
        and o.decision_id = s.decision_id
        and o.received_at = s.received_at`,
    [store.organizationId, agentId, hours.since, hours.until, version]
  )
  return sample ?? null
}

function textOf(agentId: string): string {
  return textCondition('agent_id', agentId, '$2')
}

/** The sums say in which hours the newest of a version are. */
async function hoursOf(store: OrganizationStore, { agentId, version, range }: VersionQuery) {
  const { from, to } = range
  const earliest = Math.max(from, to - compareDaysMax * dayMs)
  const [hours] = await store.query<{ since: Date | null; until: Date | null }>(
    `select min(hour) as since, max(hour) + interval '1 hour' as until
       from (select hour, sum(decisions) over (order by hour desc) - decisions as newer
               from decision_facet_hours
              where organization_id = $1
                and agent_id = $2
                and hour >= $3
                and hour < $4
                and facet = 'agent_version'
                and value = $5
                and decisions > 0) hours
      where newer < ${versionSampleMax}`,
    [
      ...[store.organizationId, agentId],
      ...[new Date(earliest).toISOString(), new Date(to).toISOString(), version]
    ]
  )
  return hours === undefined || hours.since === null ? null : hours
}

export interface ScoreSample extends Row {
  readonly name: string
  readonly source_kind: string
  readonly evaluator_id: string | null
  readonly evaluator_version: number | null
  readonly n: number
  readonly mean: number | null
  readonly deviation: number | null
  readonly judged: number
  readonly passed: number
}

/** Of each decision and name the newest score of a source: a correction counts. */
export async function selectScoreSamples(
  store: OrganizationStore,
  { ids, since, until }: Pick<VersionSample, 'ids' | 'since' | 'until'>
): Promise<readonly ScoreSample[]> {
  return await store.query<ScoreSample>(
    `with newest as (
       select distinct on (decision_id, name, source_kind) *
         from scores
        where organization_id = $1
          and decision_id = any($2::uuid[])
          and received_at >= $3
          and received_at <= $4
        order by decision_id, name, source_kind, evaluated_at desc, score_id desc
     )
     select name, source_kind, evaluator_id, evaluator_version, ${spread('value', '')},
            count(passed) as judged, count(*) filter (where passed) as passed
       from newest
      group by 1, 2, 3, 4
      order by 1, 2, 3, 4
      limit 200`,
    [store.organizationId, ids, since, until]
  )
}
