/** Whether every run that was planned is accounted for: ended in one way, open, or on its way. */
import { pushRuleId } from '../../../core/rule.ts'
import type { OrganizationStore } from '../store.ts'

/** Also how many plans are looked at, at most: the newest. */
export const plansMax = 20_000
const windowMs = 86_400_000

export interface Conservation {
  /** Plans that were made in between are looked at. */
  readonly from: string
  readonly to: string
  /** Runs that these plans stand for; replays and pushed scores come on top. */
  readonly planned: number
  readonly accounted: Readonly<Record<AccountedStatus, number>>
  /** Planned, not accounted for, and younger than what storage has stored. */
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

interface SumRow extends Record<string, unknown> {
  readonly status: string | null
  readonly n: number
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
    storedUntil ?? new Date(0)
  ])
  const countOf = (status: string): number => rows.find((row) => row.status === status)?.n ?? 0
  // Sums are one row at least, whatever there is to sum.
  const [sums] = rows as [SumRow]
  const isCut = sums.plans >= plansMax
  return {
    from: (isCut && sums.since !== null ? sums.since : from).toISOString(),
    to: to.toISOString(),
    planned: sums.planned,
    accounted: Object.fromEntries(
      accountedStatuses.map((status) => [status, countOf(status)])
    ) as Conservation['accounted'],
    in_flight: sums.young,
    difference: sums.missing,
    replays: sums.replays,
    pushed: sums.pushed
  }
}

/**
 * Each plan is compared with its own runs, so that one run too many hides no missing one. A run of
 * the first generation is stored or open; in the moment when both are there it counts once.
 */
const conservationQuery = `
  with plans as materialized (
    select decision_id, planned_at, runs
      from evaluation_plans
     where organization_id = $1 and planned_at >= $2 and planned_at < $3
     order by planned_at desc
     limit ${plansMax}
  ), known as materialized (
    select r.decision_id, r.run_id, r.status, r.generation, r.rule_id
      from plans p
      join evaluation_runs r on r.organization_id = $1 and r.decision_id = p.decision_id
    union all
    select o.decision_id, o.run_id, 'open', o.generation, o.rule_id
      from plans p
      join open_runs o on o.organization_id = $1 and o.decision_id = p.decision_id
     where not exists (select
                         from evaluation_runs e
                        where e.organization_id = $1
                          and e.decision_id = o.decision_id
                          and e.run_id = o.run_id)
  ), first_runs as (
    select decision_id, status
      from known
     where generation = 0 and rule_id is distinct from '${pushRuleId}'
  ), per_plan as (
    select p.planned_at, p.runs, greatest(p.runs - count(f.decision_id), 0) as missing
      from plans p
      left join first_runs f using (decision_id)
     group by p.decision_id, p.planned_at, p.runs
  ), sums as (
    select coalesce(sum(runs), 0)::bigint as planned,
           coalesce(sum(missing) filter (where planned_at >= $4), 0)::bigint as young,
           coalesce(sum(missing) filter (where planned_at < $4), 0)::bigint as missing,
           min(planned_at) as since, count(*) as plans
      from per_plan
  ), others as (
    select count(*) filter (where generation > 0) as replays,
           count(*) filter (where rule_id = '${pushRuleId}') as pushed
      from known
  )
  select s.*, others.*, f.status, f.n
    from sums s
    cross join others
    left join (select status, count(*) as n from first_runs group by status) f on true`
