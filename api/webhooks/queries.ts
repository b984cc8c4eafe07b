/** Reads and changes webhooks and their deliveries in Postgres. */
import type { CursorPosition } from '../../core/cursor.ts'
import type { ScoreThreshold } from '../../core/webhook.ts'
import { and, query, raw, sql } from '../../platform/postgres/sql.ts'
import { requireFound } from '../configuration/problems.ts'
import type { Edit, OrganizationRows } from '../configuration/with-organization-lock.ts'
import { sortKey } from '../page.ts'
import type { TimePage } from '../page.ts'
import type { OrganizationStore } from '../store.ts'
import type { DeliveryView, WebhookView } from './schemas.ts'

export type StoredWebhook = WebhookView & {
  readonly secret_sealed: Buffer
  /** Null unless receivers may still use the previous secret. */
  readonly secret_before_sealed: Buffer | null
}

/** The members of a webhook that users set. */
export type WebhookDraft = Pick<StoredWebhook, 'name' | 'url' | 'events' | 'threshold' | 'enabled'>

type WebhookRow = Omit<StoredWebhook, 'threshold'> & { readonly threshold: string | null }

/** Number of hours for which the previous secret stays valid, so that receivers can switch. */
export const secretOverlapHours = 24

/** Reads all webhooks of an organization, unordered. */
export async function readWebhooks(ours: OrganizationRows): Promise<StoredWebhook[]> {
  const rows = await query<WebhookRow>(ours, selectWebhooks(ours))
  return rows.map(storedOf)
}

/** @throws {Problem} 404 if the webhook does not exist */
export async function readWebhook(
  ours: OrganizationRows,
  webhookId: string,
  lock: 'for update' | '' = ''
): Promise<StoredWebhook> {
  const one = sql`${selectWebhooks(ours)} and webhook_id = ${webhookId} ${raw(lock)}`
  const [row] = await query<WebhookRow>(ours, one)
  return storedOf(requireFound('webhook', row, webhookId))
}

const selectWebhooks = ({ organizationId }: OrganizationRows) => sql`
  select webhook_id, name, url, secret_sealed,
         case when secret_before_until > now() then secret_before_sealed end
           as secret_before_sealed, events, threshold, enabled, disabled_reason,
         failures_in_row, state, state_since, created_at, updated_at
    from webhooks
   where organization_id = ${organizationId}
     and deleted_at is null`

function storedOf({ threshold, ...columns }: WebhookRow): StoredWebhook {
  const read = threshold === null ? null : (JSON.parse(threshold) as ScoreThreshold)
  return { ...columns, threshold: read }
}

function textOf({ threshold }: WebhookDraft): string | null {
  return threshold === null ? null : JSON.stringify(threshold)
}

export async function insertWebhook(
  edit: Edit,
  id: string,
  draft: WebhookDraft & { readonly sealed: Buffer }
): Promise<void> {
  const { name, url, events, enabled, sealed } = draft
  await query(
    edit,
    sql`insert into webhooks (organization_id, webhook_id, name, url, events, threshold, enabled,
                              disabled_reason, secret_sealed)
        values (${edit.organizationId}, ${id}, ${name}, ${url}, ${events}, ${textOf(draft)},
                ${enabled}, ${enabled ? null : 'user'}, ${sealed})`
  )
}

/**
 * Updates a webhook. A changed threshold starts in the state `ok`. Enabling a webhook resets its
 * failure count.
 */
export async function updateWebhook(
  edit: Edit,
  before: StoredWebhook,
  draft: WebhookDraft
): Promise<void> {
  const { name, url, events, enabled } = draft
  const isSwitched = enabled !== before.enabled
  const disabledReason = isSwitched && !enabled ? 'user' : before.disabled_reason
  const isChanged = sql`threshold is distinct from ${textOf(draft)}`
  await query(
    edit,
    sql`update webhooks
           set name = ${name}, url = ${url}, events = ${events}, enabled = ${enabled},
               disabled_reason = ${enabled ? null : disabledReason},
               failures_in_row = case when ${isSwitched && enabled}
                                      then 0 else failures_in_row end,
               state = case when ${isChanged} then 'ok' else state end,
               state_since = case when ${isChanged} then now() else state_since end,
               threshold_checked_at = case when ${isChanged}
                                           then '-infinity' else threshold_checked_at end,
               threshold = ${textOf(draft)}, updated_at = now()
         where organization_id = ${edit.organizationId} and webhook_id = ${before.webhook_id}`
  )
}

export async function deleteWebhook(edit: Edit, id: string): Promise<void> {
  await query(
    edit,
    sql`update webhooks
           set deleted_at = now(), enabled = false, secret_sealed = '', secret_before_sealed = null
         where organization_id = ${edit.organizationId} and webhook_id = ${id}`
  )
}

export async function replaceSecret(edit: Edit, id: string, sealed: Buffer): Promise<void> {
  await query(
    edit,
    sql`update webhooks
           set secret_before_sealed = secret_sealed,
               secret_before_until = now() + make_interval(hours => ${secretOverlapHours}),
               secret_sealed = ${sealed}, updated_at = now()
         where organization_id = ${edit.organizationId} and webhook_id = ${id}`
  )
}

const deliveryColumns = sql`
  delivery_id, event, decision_id, status, attempts, http_status, error, created_at,
  case when status = 'pending' then next_attempt_at end as next_attempt_at, finished_at`

export function readDeliveries(
  ours: OrganizationRows,
  webhookId: string,
  { status, page, rowsMax }: { status: string | undefined; page: TimePage; rowsMax: number }
) {
  const { from, to } = page.range
  return query<DeliveryView & { readonly sort_key: string }>(
    ours,
    sql`select ${deliveryColumns}, ${sortKey(sql`created_at`)}
          from webhook_deliveries
         where ${and([
           sql`organization_id = ${ours.organizationId} and webhook_id = ${webhookId}`,
           sql`created_at >= ${from}`,
           to && sql`created_at < ${to}`,
           status === undefined ? null : sql`status = ${status}`,
           page.after && isAfter(page.after)
         ])}
         order by created_at desc, delivery_id desc
         limit ${rowsMax}`
  )
}

const isAfter = ({ sort_key, id }: CursorPosition) =>
  sql`(created_at, delivery_id) < (${sort_key}::timestamptz, ${id}::uuid)`

/**
 * Resends a delivery with the same id and payload. A pending delivery becomes due immediately. A
 * delivery in flight stays in flight and keeps its number of attempts; otherwise, it would be sent
 * concurrently and would no longer count towards the limits.
 * @throws {Problem} 404 if the delivery does not exist
 */
export async function resendDelivery(
  ours: OrganizationStore,
  webhookId: string,
  deliveryId: string
): Promise<DeliveryView> {
  const resend = sql`
    update webhook_deliveries
       set status = 'pending', attempts = case when taken_at is null then 0 else attempts end,
           next_attempt_at = now(), expires_at = now() + interval '24 hours', finished_at = null
     where organization_id = ${ours.organizationId} and webhook_id = ${webhookId}
       and delivery_id = ${deliveryId}
    returning ${deliveryColumns}`
  const [row] = await ours.change((transaction) => query<DeliveryView>(transaction, resend))
  return requireFound('delivery', row, deliveryId)
}
