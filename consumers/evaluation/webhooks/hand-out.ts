/** Puts deliveries that are due into the queue, a few of each webhook at a time. */
import type { JobQueue } from '../../../platform/postgres/job-queue.ts'
import type { Postgres, Row } from '../../../platform/postgres/postgres.ts'
import { leaseSeconds } from './delivery.ts'
import type { DeliveryKey } from './delivery.ts'

export interface HandOutDependencies {
  readonly postgres: Postgres
  readonly queue: Pick<JobQueue<DeliveryKey>, 'add'>
}

/** Out at once for one webhook: a slow receiver holds up its own, and nobody else's. */
export const perWebhookMax = 8
const deliveriesMax = 200

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

const takeDue = `${waiting}, queued as (
    select organization_id, webhook_id, count(*) as deliveries
      from webhook_deliveries
     where status = 'pending' and queued_at is not null
     group by organization_id, webhook_id
  ), places as (
    select w.organization_id, w.webhook_id,
           greatest(0, ${perWebhookMax} - coalesce(q.deliveries, 0)) as free
      from waiting w
      join webhooks h on h.organization_id = w.organization_id and h.webhook_id = w.webhook_id
                     and h.enabled and h.deleted_at is null
      left join queued q on q.organization_id = w.organization_id and q.webhook_id = w.webhook_id
  ), due as (
    select d.organization_id, d.delivery_id
      from places p cross join lateral (
        select t.organization_id, t.delivery_id from webhook_deliveries t
         where t.organization_id = p.organization_id and t.webhook_id = p.webhook_id
           and t.status = 'pending' and t.queued_at is null and t.next_attempt_at <= now()
         order by t.next_attempt_at limit p.free
           for update skip locked) d
     limit ${deliveriesMax}
  )
  update webhook_deliveries d set queued_at = now()
    from due
   where d.organization_id = due.organization_id and d.delivery_id = due.delivery_id
  returning d.organization_id, d.delivery_id`

/** @returns how many deliveries were put into the queue. */
export async function handOut({ postgres, queue }: HandOutDependencies): Promise<number> {
  return await postgres.transaction(async (transaction) => {
    const keys = await transaction.query<DeliveryKey & Row>(takeDue)
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
