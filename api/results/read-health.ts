/** Reads the health of evaluation: its backlog, circuits and spend, and whether every planned run
 * is accounted for: ended, pending or in flight.
 */
import { pushRuleId } from '../../core/evaluation/rule.ts'
import { usdOf } from '../../core/evaluation/usd.ts'
import type { Row } from '../../platform/postgres/postgres.ts'
import { query, raw, sql } from '../../platform/postgres/sql.ts'
import type { OrganizationStore } from '../store.ts'
import { endedStatuses, openStatuses } from './schemas.ts'
import type { Health } from './schemas.ts'

/** Maximum number of plans checked, newest first. */
export const plansMax = 20_000
/** Maximum number of rows counted. Larger numbers would not change what an operator does. */
export const countedMax = 100_000
const windowMs = 86_400_000
/**
 * Time in milliseconds allowed between storing a plan and publishing its runs. If Kafka is
 * unavailable, publishing can take longer; the delayed runs then count in `difference`.
 */
const publishMs = 60_000

/**
 * @param storedUntil the storage watermark of the evaluations topic; null if unknown
 * @param now milliseconds since 1970
 */
export async function readHealth(store: OrganizationStore, storedUntil: Date | null, now: number) {
  return {
    ...(await readBacklog(store)),
    deferred: await countDeferred(store),
    circuits: await readCircuits(store),
    spend_today: await readSpend(store),
    conservation: await readConservation(store, storedUntil, now)
  }
}

async function readBacklog(store: OrganizationStore) {
  const counts = [...openStatuses, 'finished'].map((status) => countWith(isStatus(status), status))
  const rows = await query<Health['by_status'] & { readonly oldest_s: number | null }>(
    store,
    sql`select ${raw(counts.join(', '))},
               floor(extract(epoch from now()
                             - min(scheduled_at) filter (where status <> 'finished'))
               )::float8 as oldest_s
          from (select status, scheduled_at
                  from pending_runs
                 where organization_id = ${store.organizationId}
                 order by scheduled_at
                 limit ${countedMax}) open`
  )
  // The query has no GROUP BY, so it always returns one row.
  const [{ oldest_s, ...by_status }] = rows as [(typeof rows)[number]]
  const { scheduled, running, retrying, blocked } = by_status
  const backlog = scheduled + running + retrying + blocked
  return { backlog, oldest_pending_s: oldest_s, by_status }
}

function isStatus(status: string): string {
  return `status = '${status}'`
}

function countWith(condition: string, name: string): string {
  return `count(*) filter (where ${condition}) as ${name}`
}

async function countDeferred(store: OrganizationStore): Promise<number> {
  const [row] = await query<{ decisions: number }>(
    store,
    sql`select count(*) as decisions
          from (select from deferred_decisions
                 where organization_id = ${store.organizationId}
                 limit ${countedMax}) found`
  )
  return row?.decisions ?? 0
}

function readCircuits(store: OrganizationStore) {
  return query<Health['circuits'][number]>(
    store,
    sql`select c.connection_id, c.name as connection, coalesce(t.state, 'closed') as state,
               t.reason, t.since
          from evaluation_connections c
          left join connection_circuits t
            on t.organization_id = c.organization_id
           and t.connection_id = c.connection_id
         where c.organization_id = ${store.organizationId}
           and c.deleted_at is null
         order by c.name
         limit 1000`
  )
}

/** Reads the spend of the current UTC day. `usd` excludes calls without a known price. */
async function readSpend(store: OrganizationStore) {
  const rows = await query<{ calls: number; unpriced_calls: number; nano_usd: number }>(
    store,
    sql`select coalesce(sum(calls), 0)::bigint as calls,
               coalesce(sum(unpriced_calls), 0)::bigint as unpriced_calls,
               coalesce(sum(nano_usd), 0)::bigint as nano_usd
          from evaluation_spend
         where organization_id = ${store.organizationId}
           and day = (now() at time zone 'utc')::date`
  )
  const [{ calls = 0, unpriced_calls = 0, nano_usd = 0 } = {}] = rows
  return { calls, unpriced_calls, usd: usdOf(nano_usd) }
}

type Conservation = Health['conservation']

type SumRow = Row &
  Conservation['accounted'] &
  Omit<Conservation, 'from' | 'to' | 'accounted'> & {
    readonly since: Date | null
    readonly plans: number
  }

async function readConservation(
  store: OrganizationStore,
  storedUntil: Date | null,
  now: number
): Promise<Conservation> {
  const from = new Date(now - windowMs)
  const to = new Date(now)
  const publishedUntil = new Date((storedUntil?.getTime() ?? 0) - publishMs)
  const values = [store.organizationId, from, to, publishedUntil]
  const rows = await store.query<SumRow>(conservationQuery, values)
  // The query has no GROUP BY, so it always returns one row.
  const [sums] = rows as [SumRow]
  const { planned, in_flight, difference, replays, pushed, since, plans, ...accounted } = sums
  const counts = { planned, accounted, in_flight, difference, replays, pushed }
  return { from: plans >= plansMax && since !== null ? since : from, to, ...counts }
}

const isPushed = `rule_id is not distinct from '${pushRuleId}'`
const isFirst = `generation = 0 and not ${isPushed}`
/**
 * Subquery that checks whether a decision is deferred. A deferred decision has a plan if the
 * process was killed between storing the plan and storing the results.
 */
const deferred = `select from deferred_decisions d
                              where d.organization_id = $1 and d.decision_id = p.decision_id`

/**
 * Compares each plan with its own runs, so that an extra run of one plan cannot hide a missing run
 * of another. A run that is both stored and pending counts once.
 */
const conservationQuery = `
  with plans as materialized (
    (select decision_id, planned_at, runs,
            coalesce((select i.received_at from decision_ids i
                       where i.organization_id = $1 and i.decision_id = p.decision_id),
                     received_at) as stored_under
       from evaluation_plans p
      where organization_id = $1 and planned_at >= $2 and planned_at < $3
        -- Skips plans that are also stored in evaluations; the second select reads those.
        and not exists (select from evaluations e
                         where e.organization_id = $1 and e.decision_id = p.decision_id
                           and e.received_at = p.received_at
                           and e.rule_set_version is not null)
      order by planned_at desc
      limit ${plansMax})
     union all
    (select decision_id, evaluated_at, cardinality(run_kinds), received_at
       from evaluations
      where organization_id = $1 and evaluated_at >= $2 and evaluated_at < $3
        and rule_set_version is not null
      order by evaluated_at desc
      limit ${plansMax})
     order by planned_at desc
     limit ${plansMax}
  ), per_plan as (
    select p.planned_at >= $4 or exists (${deferred}) as is_young, p.runs, p.planned_at,
           ended.*, waiting.open,
           ended.later + waiting.later_open as replays, ended.given + waiting.given_open as pushed,
           greatest(p.runs - ended.firsts - waiting.open, 0) as missing
      from plans p
     cross join lateral (
            select ${endedStatuses.map(firstsWith).join(',\n                   ')},
                   count(*) filter (where ${isFirst}) as firsts,
                   count(*) filter (where generation > 0) as later,
                   count(*) filter (where ${isPushed}) as given
              from (select rule_id, generation, status
                      from later_runs
                     where organization_id = $1 and decision_id = p.decision_id
                     union all
                    select rule_id, generation, status
                      from packed_runs
                     where organization_id = $1 and decision_id = p.decision_id
                       and received_at = p.stored_under) runs) ended
     cross join lateral (
            select count(*) filter (where ${isFirst}) as open,
                   count(*) filter (where generation > 0) as later_open,
                   count(*) filter (where ${isPushed}) as given_open
              from pending_runs o
             where o.organization_id = $1 and o.decision_id = p.decision_id
               and not exists (select
                                 from later_runs e
                                where e.organization_id = $1
                                  and e.decision_id = o.decision_id
                                  and e.run_id = o.run_id)) waiting
  )
  select ${[...endedStatuses, 'open', 'replays', 'pushed'].map(sumOf).join(',\n         ')},
         coalesce(sum(runs), 0)::bigint as planned,
         coalesce(sum(missing) filter (where is_young), 0)::bigint as in_flight,
         coalesce(sum(missing) filter (where not is_young), 0)::bigint as difference,
         min(planned_at) as since, count(*) as plans
    from per_plan`

function firstsWith(status: string): string {
  return countWith(`${isFirst} and ${isStatus(status)}`, status)
}

function sumOf(column: string): string {
  return `coalesce(sum(${column}), 0)::bigint as ${column}`
}
