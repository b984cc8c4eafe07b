/** Ends deliveries that expired or belong to deleted webhooks, and deletes old deliveries. */
import type { Queryable } from '../../../platform/postgres/postgres.ts'

const chunkRows = 1000
export const keptDays = 30
const prunedChunkRows = 5000
/** Maximum number of chunks per round. The next round follows a minute later. */
const prunedChunksMax = 200

/**
 * Like the next statement, excludes deliveries in flight, because the process that sends a delivery
 * also ends it. Checks this after the limit: with the condition in the inner query, Postgres might
 * use another index and read all pending deliveries.
 */
const expired = `
  select organization_id, delivery_id, 'the delivery expired' as reason
    from (
      select organization_id, delivery_id, taken_at
        from webhook_deliveries
       where status = 'pending' and expires_at > '-infinity' and expires_at <= now()
       limit $1 for update skip locked) due
   where taken_at is null`

const ofDeletedWebhooks = `
  select d.organization_id, d.delivery_id, 'the webhook was deleted' as reason
    from webhooks w cross join lateral (
      select t.organization_id, t.delivery_id
        from webhook_deliveries t
       where t.organization_id = w.organization_id and t.webhook_id = w.webhook_id
         and t.status = 'pending' and t.taken_at is null
       limit $1) d
   where w.deleted_at > now() - interval '2 days'
   limit $1`

/** @returns the event of each ended delivery */
export async function expireDeliveries(store: Queryable): Promise<readonly string[]> {
  const ended: string[] = []
  for (const over of [expired, ofDeletedWebhooks]) {
    const rows = await store.query<{ event: string }>(
      `update webhook_deliveries d
          set status = 'failed', finished_at = now(), taken_at = null,
              error = coalesce(d.error || '; ', '') || over.reason
         from (${over}) over
        where d.organization_id = over.organization_id and d.delivery_id = over.delivery_id
          and d.status = 'pending'
       returning d.event`,
      [chunkRows]
    )
    ended.push(...rows.map(({ event }) => event))
  }
  return ended
}

/**
 * Deletes old deliveries in chunks, because one organization may write about 200,000 per minute.
 * Deliveries of deleted decisions are deleted together with the decisions.
 */
export async function pruneDeliveries(store: Queryable): Promise<void> {
  for (let chunk = 0; chunk < prunedChunksMax; chunk++) {
    const deleted = await store.query(
      `delete from webhook_deliveries where ctid = any (array(
         select ctid from webhook_deliveries
          where created_at < now() - make_interval(days => $1) and status <> 'pending'
          limit $2))
       returning true`,
      [keptDays, prunedChunkRows]
    )
    if (deleted.length < prunedChunkRows) return
  }
}
