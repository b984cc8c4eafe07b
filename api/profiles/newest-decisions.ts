/** Reads the newest decisions of an agent: a sample, its sessions, and the newest failed decisions.
 */
import type { Static } from '../../http/schema.ts'
import { query, raw, sql } from '../../platform/postgres/sql.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { textEquals } from '../../platform/postgres/text-condition.ts'
import { scoresSql } from '../../store/packed-sql.ts'
import { dayMs } from '../stats/time-buckets.ts'
import type { AgentQuery } from './queries.ts'
import type { profile, sessionsPart } from './schemas.ts'

export const sampleMax = 5000
/** Maximum length of the range in days. A statement locks every daily partition it opens. */
const daysMax = 31
/** Maximum number of rows scanned for decisions without an agent. No index supports this search. */
const scannedMax = 20_000
export const sessionsMax = 100
const worstMax = 10

/**
 * Returns SQL that selects the sample. Determines from the hourly sums how far back to search, so
 * that no older partition is read.
 */
function sampleOf({ store: { organizationId }, agentId, range }: AgentQuery): Sql {
  const from = new Date(Math.max(range.from, range.to - daysMax * dayMs))
  const to = new Date(range.to)
  const columns = raw(
    'received_at, decision_id, session_id, input_tokens, output_tokens, latency_ms'
  )
  const rows = sql`from decisions
             where organization_id = ${organizationId}
               and received_at >= ${from}
               and received_at >= (select coalesce(min(hour), ${from}) from (
            select hour, sum(sum(decisions)) over (order by hour desc) - sum(decisions) as newer
              from decision_hours
             where organization_id = ${organizationId}
               and agent_id = ${agentId}
               and hour >= ${from}
               and hour < ${to}
               and decisions > 0
             group by hour) hours
            where newer < ${raw(sampleMax)})
               and received_at < ${to}`
  const order = raw('order by received_at desc, decision_id desc')
  return agentId === ''
    ? sql`(select ${columns} from (select ${columns}, agent_id ${rows} ${order}
            limit ${raw(scannedMax)}) scanned
          where coalesce(agent_id, '') = '' ${order} limit ${raw(sampleMax)})`
    : sql`(select ${columns} ${rows}
               and ${textEquals(raw('agent_id'), agentId)}
             ${order} limit ${raw(sampleMax)})`
}

export type AgentSample = {
  readonly n: number
  readonly since: Date | null
  /** The 50th and 95th percentiles; null if no decision in the sample has a value. */
  readonly input_tokens: readonly number[] | null
  readonly output_tokens: readonly number[] | null
  readonly latency_ms: readonly number[] | null
  readonly sessions: number
  readonly in_sessions: number
}

export async function selectSample(agent: AgentQuery): Promise<AgentSample> {
  const percentiles = ['input_tokens', 'output_tokens', 'latency_ms'].map((column) => {
    return `percentile_disc(array[0.5, 0.95]) within group (order by ${column})::float8[]
              as ${column}`
  })
  const [sample] = await query<AgentSample>(
    agent.store,
    sql`select count(*) as n, min(received_at) as since, ${raw(percentiles.join(', '))},
            count(distinct session_id) as sessions, count(session_id) as in_sessions
       from ${sampleOf(agent)} newest`
  )
  return sample as AgentSample
}

/**
 * A session, with the totals of the sample. If the sample has no sessions, a single row has only
 * the totals.
 */
type SessionRow = Omit<Static<typeof sessionsPart>['sessions'][number], 'session_id'> & {
  readonly session_id: string | null
  readonly sampled: number
  readonly since: Date | null
  readonly sessions: number
}

/** Selects the most recently used sessions in the sample, newest first. */
export async function selectSessions(agent: AgentQuery) {
  const rows = await query<SessionRow>(
    agent.store,
    sql`with newest as materialized (
       select * from ${sampleOf(agent)} newest
     ), totals as (
       select count(*) as sampled, min(received_at) as since,
              count(distinct session_id) as sessions
         from newest
     ), sessions as (
       select session_id, count(*) as decisions, min(received_at) as first_seen,
              max(received_at) as last_seen, sum(input_tokens)::float8 as input_tokens,
              sum(output_tokens)::float8 as output_tokens
         from newest
        where session_id is not null
        group by session_id
        order by max(received_at) desc, session_id
        limit ${raw(sessionsMax)}
     )
     select sessions.*, totals.sampled, totals.since, totals.sessions
       from totals
       left join sessions on true
      order by last_seen desc, session_id`
  )
  const [first] = rows
  return {
    sessions: rows.flatMap(({ sampled: _, since: __, sessions: ___, session_id, ...row }) => {
      return session_id === null ? [] : [{ session_id, ...row }]
    }),
    count: first?.sessions ?? 0,
    sample: { n: first?.sampled ?? 0, since: first?.since ?? null }
  }
}

type WorstRow = Omit<Static<typeof profile>['worst'][number], 'failed_scores'> & {
  readonly scores: Readonly<Record<string, { readonly passed?: boolean | null }>>
}

/**
 * Selects the newest decisions with the verdict `fail`, and the names of their failed scores. Finds
 * the hours with such decisions in the hourly sums, and reads only those hours.
 */
export async function selectWorst({ store, agentId, range }: AgentQuery) {
  const rows = await query<WorstRow>(
    store,
    sql`with failed as materialized (
       select hour
         from outcome_hours
        where organization_id = ${store.organizationId}
          and agent_id = ${agentId}
          and hour >= ${new Date(range.from)}
          and hour < ${new Date(range.to)}
          and verdict = 'fail'
          and decisions > 0
        group by hour
        order by hour desc
        limit ${raw(worstMax)}
     )
     select worst.*
       from failed
      cross join lateral (
        select decision_id, received_at, session_id, domain, status, verdict,
               ${raw(scoresSql)} as scores
          from evaluations e
         where organization_id = ${store.organizationId}
           and received_at >= failed.hour
           and received_at < failed.hour + interval '1 hour'
           and verdict <> 'pass'
           and verdict = 'fail'
           and coalesce(agent_id, '') = ${agentId}
         order by received_at desc, decision_id desc
         limit ${raw(worstMax)}) worst
      order by worst.received_at desc, worst.decision_id desc
      limit ${raw(worstMax)}`
  )
  return rows.map(({ scores, ...row }) => {
    const failed = Object.entries(scores).filter(([, score]) => score.passed === false)
    return { ...row, failed_scores: failed.map(([name]) => name) }
  })
}
