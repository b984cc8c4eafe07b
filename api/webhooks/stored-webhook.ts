/** Webhooks as the tables hold them, and as callers see them. */
import type { ScoreThreshold } from '../../core/webhook.ts'
import type { Row } from '../../platform/postgres/postgres.ts'
import type { OrganizationRows } from '../configuration/take-turn.ts'

export interface StoredWebhook {
  readonly webhook_id: string
  readonly name: string
  readonly url: string
  readonly secret_sealed: Buffer
  /** Null unless receivers may still know the one before. */
  readonly secret_before_sealed: Buffer | null
  readonly events: readonly string[]
  readonly threshold: ScoreThreshold | null
  readonly enabled: boolean
  readonly disabled_reason: string | null
  readonly failures_in_row: number
  readonly state: string
  readonly state_since: Date
  readonly created_at: Date
  readonly updated_at: Date
}

type WebhookRow = Omit<StoredWebhook, 'threshold'> & { readonly threshold: string | null }

const selectWebhooks = `
  select webhook_id, name, url, secret_sealed,
         case when secret_before_until > now() then secret_before_sealed end
           as secret_before_sealed, events, threshold, enabled, disabled_reason,
         failures_in_row, state, state_since, created_at, updated_at
    from webhooks
   where organization_id = $1
     and deleted_at is null`

/** All of an organization, in no order. */
export async function readWebhooks(ours: OrganizationRows): Promise<StoredWebhook[]> {
  const rows = await ours.query<WebhookRow & Row>(selectWebhooks, [ours.organizationId])
  return rows.map(storedOf)
}

export async function readWebhook(
  ours: OrganizationRows,
  webhookId: string
): Promise<StoredWebhook | null> {
  const statement = `${selectWebhooks} and webhook_id = $2`
  const [row] = await ours.query<WebhookRow & Row>(statement, [ours.organizationId, webhookId])
  return row === undefined ? null : storedOf(row)
}

function storedOf({ threshold, ...columns }: WebhookRow): StoredWebhook {
  const read = threshold === null ? null : (JSON.parse(threshold) as ScoreThreshold)
  return { ...columns, threshold: read }
}

/** The secret is shown where it is made, and nowhere else. */
export function webhookView(stored: StoredWebhook) {
  const { state, state_since, created_at, updated_at, ...members } = withoutSecrets(stored)
  const isWatching = members.threshold !== null
  return {
    ...members,
    state: isWatching ? state : null,
    state_since: isWatching ? state_since : null,
    ...{ created_at, updated_at }
  }
}

function withoutSecrets({
  secret_sealed: _sealed,
  secret_before_sealed: _before,
  ...webhook
}: StoredWebhook) {
  return webhook
}
