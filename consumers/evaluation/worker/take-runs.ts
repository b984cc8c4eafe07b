/** Takes due runs: leases them to this process until it has claimed them. */
import type { RunKey } from '../../../core/evaluation/evaluation.ts'
import type { Queryable, Row } from '../../../platform/postgres/postgres.ts'
import { valuesOf } from './pending-run.ts'

export interface TakenRun extends RunKey {
  readonly lease_token: string
}

/**
 * Time within which a process must claim the runs that it has taken. Afterwards, another process
 * may take them.
 */
const leaseSeconds = 5
/** Maximum number of runs taken at once per connection, which limits the number of rows read. */
const perConnectionMax = 8
/** Maximum random delay before a run whose claim failed becomes due again. */
const failedClaimSeconds = 5

/** Repeats the condition of the index `pending_runs_due`, so that Postgres can use the index. */
const isOpen = (r: string): string =>
  `${r}.status in ('scheduled', 'retrying', 'running') and ${r}.evaluator_kind <> 'external'`
/** Includes runs that are `running` with an expired lease: their process was killed. */
const isDue = (r: string): string =>
  `${isOpen(r)} and ${r}.next_attempt_at <= now()
   and coalesce(${r}.lease_expires_at, now()) <= now()`
const nameOf = (r: string): string => `${r}.organization_id, coalesce(${r}.connection_id, '')`

/**
 * Skips through the index from one connection with open runs to the next. Runs that need no
 * connection count as runs of the connection ''.
 */
const connections = `
  with recursive connections (organization_id, connection_id) as (
    (select ${nameOf('r')} from pending_runs r
      where ${isOpen('r')} order by ${nameOf('r')} limit 1)
    union all
    select following.* from connections c cross join lateral (
      select ${nameOf('r')} from pending_runs r
       where ${isOpen('r')} and (${nameOf('r')}) > (c.organization_id, c.connection_id)
       order by ${nameOf('r')} limit 1) following
  )`

/**
 * Computes the number of free slots of each connection: its concurrency limit minus the runs that
 * processes have taken or claimed.
 */
const places = `leased as (
    select organization_id, coalesce(connection_id, '') as connection_id, count(*) as runs
      from pending_runs
     where status <> 'finished' and lease_expires_at > now()
     group by 1, 2
  ), held as (
    select organization_id, sum(runs) as runs from leased group by 1
  ), places as (
    select c.organization_id, c.connection_id,
           coalesce(e.concurrency_max - coalesce(l.runs, 0), ${perConnectionMax}) as free
      from connections c
      left join evaluation_connections e
        on e.organization_id = c.organization_id and e.connection_id = c.connection_id
      left join leased l
        on l.organization_id = c.organization_id and l.connection_id = c.connection_id
  )`

/**
 * Numbers the due runs of each organization, continuing from the number of its leased runs. Low
 * numbers come first, so organizations take turns even if slots become free one at a time. Within
 * an organization, connections take turns.
 */
const due = `due as (
    select own.*, coalesce(held.runs, 0) + row_number() over (
             partition by own.organization_id order by own.nth, own.next_attempt_at) as turn
      from places p left join held using (organization_id) cross join lateral (
        select r.organization_id, r.decision_id, r.run_id, r.next_attempt_at,
               row_number() over (order by r.next_attempt_at) as nth
          from pending_runs r
         where (${nameOf('r')}) = (p.organization_id, p.connection_id) and ${isDue('r')}
         order by r.next_attempt_at
         limit greatest(0, least(p.free, $1, ${perConnectionMax}))) own
     order by turn, own.next_attempt_at
  )`

/**
 * Locks rows by key alone and checks the conditions afterwards, because another process may have
 * taken the run in the meantime.
 */
export const takeDueRuns = `${connections}, ${places}, ${due}, taken as (
    select due.organization_id, due.decision_id, due.run_id
      from due cross join lateral (
        select status, evaluator_kind, next_attempt_at, lease_expires_at from pending_runs r
         where r.organization_id = due.organization_id and r.decision_id = due.decision_id
           and r.run_id = due.run_id
         limit 1 for update skip locked) locked
     where ${isDue('locked')}
     limit $1
  )
  update pending_runs r
     set lease_token = gen_random_uuid(),
         lease_expires_at = now() + interval '${leaseSeconds} seconds'
    from taken
   where r.organization_id = taken.organization_id and r.decision_id = taken.decision_id
     and r.run_id = taken.run_id
  returning r.organization_id, r.decision_id, r.run_id, r.lease_token`

export async function takeRuns(postgres: Queryable, runsMax: number): Promise<TakenRun[]> {
  return await postgres.query<TakenRun & Row>(takeDueRuns, [runsMax])
}

/**
 * Gives back a run whose claim failed. The run becomes due again after a random delay, so that it
 * does not hold up other runs. Does nothing if the claim was committed, because a claim replaces
 * `lease_token`.
 */
export async function giveBack(postgres: Queryable, run: TakenRun): Promise<void> {
  await postgres.query(
    `update pending_runs
        set next_attempt_at = now() + random() * interval '${failedClaimSeconds} seconds',
            lease_expires_at = now()
      where organization_id = $1 and decision_id = $2 and run_id = $3 and lease_token = $4`,
    [...valuesOf(run), run.lease_token]
  )
}
