/** Ends deliveries that nobody is to hear any more, and deletes those of long ago. */
import type { Queryable } from '../../../platform/postgres/postgres.ts'

const chunkRows = 1000
export const keptDays = 30
const prunedChunkRows = 5000
/** In a round; the next one follows a minute later. */
const prunedChunksMax = 200

const late = `
  select organization_id, delivery_id, 'its time is over' as reason
    from webhook_deliveries
   where status = 'pending' and expires_at > '-infinity' and expires_at <= now()
   limit $1 for update skip locked`

/** What is on its way to a webhook that was deleted is ended by whoever sends it. */
const unheard = `
  select d.organization_id, d.delivery_id, 'the webhook is deleted' as reason
    from webhooks w cross join lateral (
      select t.organization_id, t.delivery_id
        from webhook_deliveries t
       where t.organization_id = w.organization_id and t.webhook_id = w.webhook_id
         and t.status = 'pending' and t.queued_at is null
       limit $1) d
   where w.deleted_at > now() - interval '2 days'
   limit $1`

/** Those whose time is over, and those of deleted webhooks. @returns the event of each. */
export async function expireDeliveries(store: Queryable): Promise<readonly string[]> {
  const ended: string[] = []
  for (const over of [late, unheard]) {
    const rows = await store.query<{ event: string }>(
      `update webhook_deliveries d
          set status = 'failed', finished_at = now(), queued_at = null,
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
 * Of webhooks alone: those of a decision go with it as well. Chunk after chunk, because one
 * organization may write some 200,000 in a minute.
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
