/** Puts deliveries that are due into the queue, round robin over organizations. */
import type { JobQueue } from '../../../platform/postgres/job-queue.ts'
import type { Postgres, Row } from '../../../platform/postgres/postgres.ts'
import { failedAttemptsMax, leaseSeconds } from './delivery.ts'
import type { DeliveryKey } from './delivery.ts'

export interface HandOutDependencies {
  readonly postgres: Postgres
  readonly queue: Pick<JobQueue<DeliveryKey>, 'add'>
}

/** A delivery is out while it is queued or being sent; the limits count those of all processes. */
export const perOrganizationMax = 16
export const perWebhookMax = 8
/** For a webhook whose last attempts failed, until one succeeds. */
const perFailingWebhookMax = 1
/** Candidates for each place: some of them may be locked. */
const candidatesPerPlace = 4

/** Processes take turns: two that count at the same time would both fill the same places. */
const waitForTurn = "select pg_advisory_xact_lock(hashtextextended('sluice webhook deliveries', 0))"

/**
 * From one webhook with something to send to the next, through the index; however much each of
 * them has waiting, a few of its rows are read.
 */
const waiting = `
  with recursive waiting (organization_id, webhook_id) as (
    (select organization_id, webhook_id from webhook_deliveries
      where status = 'pending' and queued_at is null
      order by organization_id, webhook_id limit 1)
    union all
    select following.organization_id, following.webhook_id
      from waiting w cross join lateral (
        select d.organization_id, d.webhook_id from webhook_deliveries d
         where d.status = 'pending' and d.queued_at is null
           and (d.organization_id, d.webhook_id) > (w.organization_id, w.webhook_id)
         order by d.organization_id, d.webhook_id limit 1) following
  )`

const places = `queued as (
    select organization_id, webhook_id, count(*) as deliveries
      from webhook_deliveries
     where status = 'pending' and queued_at is not null
     group by organization_id, webhook_id
  ), organizations as (
    select organization_id, sum(deliveries) as deliveries from queued group by organization_id
  ), places as (
    select w.organization_id, w.webhook_id, coalesce(q.deliveries, 0) as webhook_out,
           coalesce(o.deliveries, 0) as organization_out,
           case when h.failed_attempts < ${failedAttemptsMax} then ${perWebhookMax}
                else ${perFailingWebhookMax} end - coalesce(q.deliveries, 0) as free
      from waiting w
      join webhooks h on h.organization_id = w.organization_id and h.webhook_id = w.webhook_id
                     and h.enabled and h.deleted_at is null
      left join queued q on q.organization_id = w.organization_id and q.webhook_id = w.webhook_id
      left join organizations o on o.organization_id = w.organization_id
  )`

/**
 * The place of a delivery is its number among those that its organization would have out. First
 * come those with the lowest: an organization that has none out precedes all others. Among the
 * webhooks of an organization it is the same.
 */
const candidates = `due as (
    select p.organization_id, d.delivery_id,
           p.organization_out + row_number() over (
             partition by p.organization_id
             order by p.webhook_out + d.nth, d.next_attempt_at) as place
      from places p cross join lateral (
        select t.delivery_id, t.next_attempt_at,
               row_number() over (order by t.next_attempt_at) as nth
          from webhook_deliveries t
         where t.organization_id = p.organization_id and t.webhook_id = p.webhook_id
           and t.status = 'pending' and t.queued_at is null and t.next_attempt_at <= now()
         order by t.next_attempt_at limit p.free) d
     where p.free > 0 and p.organization_out < ${perOrganizationMax}
  ), candidates as (
    select organization_id, delivery_id from due
     where place <= ${perOrganizationMax}
     order by place, random()
     limit ${candidatesPerPlace} * $1
  )`

/**
 * A row is locked by its key alone, and looked at afterwards: with the conditions inside, the
 * planner may walk all that an organization has waiting for each row.
 */
export const takeDue = `${waiting}, ${places}, ${candidates}, chosen as (
    select c.organization_id, c.delivery_id
      from candidates c cross join lateral (
        select d.status, d.queued_at from webhook_deliveries d
         where d.organization_id = c.organization_id and d.delivery_id = c.delivery_id
         limit 1 for update skip locked) locked
     where locked.status = 'pending' and locked.queued_at is null
     limit $1
  )
  update webhook_deliveries d set queued_at = now()
    from chosen
   where d.organization_id = chosen.organization_id and d.delivery_id = chosen.delivery_id
  returning d.organization_id, d.delivery_id`

/**
 * @param room how many deliveries this process can begin to send: more would wait in the queue
 * @returns how many deliveries were put into the queue
 */
export async function handOut(dependencies: HandOutDependencies, room: number): Promise<number> {
  const { postgres, queue } = dependencies
  return await postgres.transaction(async (transaction) => {
    await transaction.query(waitForTurn)
    const keys = await transaction.query<DeliveryKey & Row>(takeDue, [room])
    await queue.add(
      transaction,
      keys.map((key) => ({ key }))
    )
    return keys.length
  })
}

/** Whoever had these was killed, or their jobs were lost: they are due again. */
export async function takeBack({ postgres }: Pick<HandOutDependencies, 'postgres'>): Promise<void> {
  await postgres.query(
    `update webhook_deliveries set queued_at = null
      where status = 'pending' and queued_at <= now() - make_interval(secs => $1)`,
    [leaseSeconds]
  )
}
