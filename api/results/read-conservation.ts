/** Whether every run that was planned is accounted for: ended in one way, open, or on its way. */
import { pushRuleId } from '../../core/evaluation/rule.ts'
import type { Row } from '../../platform/postgres/postgres.ts'
import type { OrganizationStore } from '../store.ts'

/** Also how many plans are looked at, at most: the newest. */
export const plansMax = 20_000
const windowMs = 86_400_000
/**
 * From a plan to the publication of what it planned: one batch. An outage of the log in between may
 * take longer; what it holds up shows as a difference until it is over.
 */
const publishMs = 60_000

export interface Conservation {
  /** Plans that were made in between are looked at. */
  readonly from: string
  readonly to: string
  /** Runs that these plans stand for; replays and pushed scores come on top. */
  readonly planned: number
  readonly accounted: Readonly<Record<AccountedStatus, number>>
  /** Planned and not accounted for, but deferred or younger than what storage has stored. */
  readonly in_flight: number
  /** Planned, and nowhere: 0, or something is lost. */
  readonly difference: number
  readonly replays: number
  readonly pushed: number
}

type AccountedStatus = 'succeeded' | 'failed' | 'skipped' | 'expired' | 'canceled' | 'open'

const accountedStatuses = 'succeeded failed skipped expired canceled open'.split(
  ' '
) as AccountedStatus[]

interface SumRow extends Readonly<Record<AccountedStatus, number>>, Row {
  readonly planned: number
  readonly young: number
  readonly missing: number
  readonly replays: number
  readonly pushed: number
  readonly since: Date | null
  readonly plans: number
}

/**
 * @param storedUntil what was published before is stored; null while that is not known.
 * @param now milliseconds since 1970.
 */
export async function readConservation(
  store: OrganizationStore,
  storedUntil: Date | null,
  now: number
): Promise<Conservation> {
  const from = new Date(now - windowMs)
  const to = new Date(now)
  const rows = await store.query<SumRow>(conservationQuery, [
    store.organizationId,
    from,
    to,
    new Date((storedUntil?.getTime() ?? 0) - publishMs)
  ])
  // Sums are one row, whatever there is to sum.
  const [sums] = rows as [SumRow]
  const isCut = sums.plans >= plansMax
  return {
    from: (isCut && sums.since !== null ? sums.since : from).toISOString(),
    to: to.toISOString(),
    planned: sums.planned,
    accounted: Object.fromEntries(
      accountedStatuses.map((status) => [status, sums[status]])
    ) as Conservation['accounted'],
    in_flight: sums.young,
    difference: sums.missing,
    replays: sums.replays,
    pushed: sums.pushed
  }
}

const isPushed = `rule_id is not distinct from '${pushRuleId}'`
const isFirst = `generation = 0 and not ${isPushed}`
/** A deferred decision has a plan if the process was killed between the plan and its results. */
const deferred = `select from deferred_decisions d
                              where d.organization_id = $1 and d.decision_id = p.decision_id`
const endedStatuses = accountedStatuses.filter((status) => status !== 'open')

/**
 * Compares each plan with its own runs, so that an extra run never hides a missing one. A run of
 * the first generation is stored or open; while it is both, it counts once.
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
              from open_runs o
             where o.organization_id = $1 and o.decision_id = p.decision_id
               and not exists (select
                                 from later_runs e
                                where e.organization_id = $1
                                  and e.decision_id = o.decision_id
                                  and e.run_id = o.run_id)) waiting
  )
  select ${[...accountedStatuses, 'replays', 'pushed'].map(sumOf).join(',\n         ')},
         coalesce(sum(runs), 0)::bigint as planned,
         coalesce(sum(missing) filter (where is_young), 0)::bigint as young,
         coalesce(sum(missing) filter (where not is_young), 0)::bigint as missing,
         min(planned_at) as since, count(*) as plans
    from per_plan`

function firstsWith(status: string): string {
  return `count(*) filter (where ${isFirst} and status = '${status}') as ${status}`
}

function sumOf(column: string): string {
  return `coalesce(sum(${column}), 0)::bigint as ${column}`
}
