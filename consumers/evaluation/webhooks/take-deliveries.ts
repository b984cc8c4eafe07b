/** Takes due deliveries for this process, round robin over organizations. */
import type { Postgres, Queryable, Row } from '../../../platform/postgres/postgres.ts'
import { failedAttemptsMax, leaseSeconds } from './delivery.ts'
import type { TakenDelivery } from './delivery.ts'

/** Maximum number of deliveries in flight per organization, across all processes. */
export const perOrganizationMax = 16
export const perWebhookMax = 8
/**
 * Maximum number of deliveries in flight for a failing webhook, until one of its attempts succeeds.
 */
const perFailingWebhookMax = 1
/** Number of candidate rows per free slot. More than one, because some rows may be locked. */
const candidatesPerPlace = 4

/**
 * Allows one process at a time to take deliveries. Two processes that count concurrently would fill
 * the same slots.
 */
const lockTaking = "select pg_advisory_xact_lock(hashtextextended('sluice webhook deliveries', 0))"

/**
 * Skips through the index from one webhook with pending deliveries to the next. Reads only a few
 * rows per webhook, regardless of how many are pending.
 */
const waiting = `
  with recursive waiting (organization_id, webhook_id) as (
    (select organization_id, webhook_id from webhook_deliveries
      where status = 'pending' and taken_at is null
      order by organization_id, webhook_id limit 1)
    union all
    select following.organization_id, following.webhook_id
      from waiting w cross join lateral (
        select d.organization_id, d.webhook_id from webhook_deliveries d
         where d.status = 'pending' and d.taken_at is null
           and (d.organization_id, d.webhook_id) > (w.organization_id, w.webhook_id)
         order by d.organization_id, d.webhook_id limit 1) following
  )`

const places = `taken as (
    select organization_id, webhook_id, count(*) as deliveries
      from webhook_deliveries
     where status = 'pending' and taken_at is not null
     group by organization_id, webhook_id
  ), organizations as (
    select organization_id, sum(deliveries) as deliveries from taken group by organization_id
  ), places as (
    select w.organization_id, w.webhook_id, coalesce(t.deliveries, 0) as webhook_out,
           coalesce(o.deliveries, 0) as organization_out,
           case when h.failed_attempts < ${failedAttemptsMax} then ${perWebhookMax}
                else ${perFailingWebhookMax} end - coalesce(t.deliveries, 0) as free
      from waiting w
      join webhooks h on h.organization_id = w.organization_id and h.webhook_id = w.webhook_id
                     and h.enabled and h.deleted_at is null
      left join taken t on t.organization_id = w.organization_id and t.webhook_id = w.webhook_id
      left join organizations o on o.organization_id = w.organization_id
  )`

/**
 * Numbers the due deliveries of each organization, continuing from the number of its deliveries in
 * flight, and takes low numbers first. Organizations with nothing in flight therefore come first.
 * The webhooks of an organization are ordered the same way.
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
           and t.status = 'pending' and t.taken_at is null and t.next_attempt_at <= now()
         order by t.next_attempt_at limit p.free) d
     where p.free > 0 and p.organization_out < ${perOrganizationMax}
  ), candidates as (
    select organization_id, delivery_id from due
     where place <= ${perOrganizationMax}
     order by place, random()
     limit ${candidatesPerPlace} * $1
  )`

/**
 * Locks rows by key alone and checks the conditions afterwards. With the conditions in the locking
 * query, Postgres might read all pending rows of an organization for each row. Counts the attempt
 * before the request is sent. The next attempt is due at the end of the lease, in case this process
 * is killed before it stores a result.
 */
export const takeDue = `${waiting}, ${places}, ${candidates}, chosen as (
    select c.organization_id, c.delivery_id
      from candidates c cross join lateral (
        select d.status, d.taken_at, d.next_attempt_at, d.expires_at from webhook_deliveries d
         where d.organization_id = c.organization_id and d.delivery_id = c.delivery_id
         limit 1 for update skip locked) locked
     where locked.status = 'pending' and locked.taken_at is null
       and locked.next_attempt_at <= now() and locked.expires_at > now()
     limit $1
  )
  update webhook_deliveries d
     set attempts = d.attempts + 1, taken_at = now(),
         next_attempt_at = now() + make_interval(secs => $2)
    from chosen
   where d.organization_id = chosen.organization_id and d.delivery_id = chosen.delivery_id
  returning d.organization_id, d.delivery_id, d.taken_at::text as taken_at`

type TakenKey = Pick<TakenDelivery, 'organization_id' | 'delivery_id' | 'taken_at'>

/** Reads only deliveries whose lease this process still holds. */
const readTaken = `
  select d.organization_id, d.delivery_id, d.webhook_id, d.event, d.payload, d.attempts,
         d.taken_at::text as taken_at,
         (extract(epoch from d.expires_at - now()) * 1000)::bigint as expires_in_ms,
         w.url, w.secret_sealed,
         case when w.secret_before_until > now() then w.secret_before_sealed end
           as secret_before_sealed
    from unnest($1::uuid[], $2::uuid[], $3::timestamptz[])
           as taken (organization_id, delivery_id, taken_at)
    join webhook_deliveries d using (organization_id, delivery_id, taken_at)
    join webhooks w using (organization_id, webhook_id)
   where d.status = 'pending'`

/**
 * Reads the payloads after the commit. Otherwise, if this process were suspended while it receives
 * them, Postgres would wait inside the transaction, and its lock would block all processes. The
 * keys of all deliveries are small enough for the buffers of a connection.
 * @param room the number of deliveries that this process can send now
 */
export async function takeDeliveries(postgres: Postgres, room: number): Promise<TakenDelivery[]> {
  const keys = await postgres.transaction(async (transaction) => {
    await transaction.query(lockTaking)
    return await transaction.query<TakenKey & Row>(takeDue, [room, leaseSeconds])
  })
  if (keys.length === 0) return []
  return await postgres.query<TakenDelivery & Row>(readTaken, [
    keys.map(({ organization_id }) => organization_id),
    keys.map(({ delivery_id }) => delivery_id),
    keys.map(({ taken_at }) => taken_at)
  ])
}

/** Makes deliveries due again if their process was killed. */
export async function takeBack(postgres: Queryable): Promise<void> {
  await postgres.query(
    `update webhook_deliveries set taken_at = null
      where status = 'pending' and taken_at <= now() - make_interval(secs => $1)`,
    [leaseSeconds]
  )
}
