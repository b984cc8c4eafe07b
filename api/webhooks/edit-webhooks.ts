/** POST, PATCH and DELETE of /v1/evaluation/webhooks. */
import type { Clock } from '../../core/clock.ts'
import { prefixedId } from '../../core/ids/prefixed-id.ts'
import type { Outbound } from '../../platform/http-client/outbound.ts'
import type { Sealer } from '../../platform/security/sealed-secret.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { changeOf } from '../configuration/change-of.ts'
import { existing, limitReached, nameTaken } from '../configuration/refusals.ts'
import { takeTurn } from '../configuration/take-turn.ts'
import type { Edit } from '../configuration/take-turn.ts'
import type { Store } from '../store.ts'
import { readWebhook, readWebhooks, webhookView } from './stored-webhook.ts'
import type { StoredWebhook } from './stored-webhook.ts'
import { refuseWebhook, webhookDraftOf } from './webhook-draft.ts'
import type { WebhookBody, WebhookDraft } from './webhook-draft.ts'
import { makeSecret } from './webhook-secret.ts'

export interface EditWebhooksDependencies {
  readonly store: Store
  readonly clock: Clock
  readonly outbound: Pick<Outbound, 'addressObjection'>
  /** Null without SECRETS_KEY: then there can be no webhook. */
  readonly sealer: Sealer | null
}

export const webhooksMax = 20

export function createEditWebhooks(dependencies: EditWebhooksDependencies) {
  const { store, clock, outbound, sealer } = dependencies

  const createWebhook: SessionHandle = async (call) => {
    const draft = webhookDraftOf(call.body as WebhookBody, null)
    refuseWebhook(draft, outbound)
    const id = prefixedId('whk', clock.now())
    const { secret, sealed } = makeSecret(sealer, call.principal.organization_id, id)
    const made = await takeTurn(store, call, async (edit) => {
      const others = await readWebhooks(edit)
      if (others.length >= webhooksMax) throw limitReached('webhooks', webhooksMax)
      refuseName(draft.name, others)
      await insertWebhook(edit, id, { ...draft, sealed })
      await edit.audit('webhook.created', id, { name: draft.name })
      return await readWebhook(edit, id)
    })
    const view = webhookView(existing('webhook', made, id))
    return jsonReply(201, JSON.stringify({ ...view, secret }))
  }

  const changeWebhook: SessionHandle = async (call) => {
    const id = call.params['webhook_id'] ?? ''
    const body = call.body as Partial<WebhookBody>
    const changed = await takeTurn(store, call, async (edit) => {
      const before = existing('webhook', await readWebhook(edit, id), id)
      const draft = webhookDraftOf(body, before)
      refuseWebhook(draft, outbound)
      const all = await readWebhooks(edit)
      const others = all.filter(({ webhook_id }) => webhook_id !== id)
      refuseName(draft.name, others)
      await updateWebhook(edit, before, draft)
      await edit.audit('webhook.changed', id, changeOf(draft, body))
      return await readWebhook(edit, id)
    })
    return jsonReply(200, JSON.stringify(webhookView(existing('webhook', changed, id))))
  }

  const deleteWebhook: SessionHandle = async (call) => {
    const id = call.params['webhook_id'] ?? ''
    await takeTurn(store, call, async (edit) => {
      const { name } = existing('webhook', await readWebhook(edit, id), id)
      await edit.audit('webhook.deleted', id, { name })
      await edit.query(
        `update webhooks
            set deleted_at = now(), enabled = false, secret_sealed = '', secret_before_sealed = null
          where organization_id = $1 and webhook_id = $2`,
        [edit.organizationId, id]
      )
    })
    return jsonReply(200, JSON.stringify({ webhook_id: id, deleted: true }))
  }

  return { createWebhook, changeWebhook, deleteWebhook }
}

function refuseName(name: string, others: readonly StoredWebhook[]): void {
  if (others.some((other) => other.name === name)) throw nameTaken(name)
}

function textOf({ threshold }: WebhookDraft): string | null {
  return threshold === null ? null : JSON.stringify(threshold)
}

async function insertWebhook(
  edit: Edit,
  id: string,
  draft: WebhookDraft & { readonly sealed: Buffer }
): Promise<void> {
  const { name, url, events, enabled, sealed } = draft
  await edit.query(
    `insert into webhooks (organization_id, webhook_id, name, url, events, threshold, enabled,
                           disabled_reason, secret_sealed)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      ...[edit.organizationId, id, name, url, events, textOf(draft)],
      ...[enabled, enabled ? null : 'user', sealed]
    ]
  )
}

/** Another threshold begins anew, and so does the count of one that is switched on again. */
async function updateWebhook(
  edit: Edit,
  before: StoredWebhook,
  draft: WebhookDraft
): Promise<void> {
  const { name, url, events, enabled } = draft
  const isSwitched = enabled !== before.enabled
  const disabledReason = isSwitched && !enabled ? 'user' : before.disabled_reason
  await edit.query(
    `update webhooks
        set name = $3, url = $4, events = $5, enabled = $7,
            disabled_reason = case when $7 then null else $8 end,
            failures_in_row = case when $9 then 0 else failures_in_row end,
            state = case when threshold is distinct from $6 then 'ok' else state end,
            state_since = case when threshold is distinct from $6 then now() else state_since end,
            threshold_checked_at = case when threshold is distinct from $6
                                        then '-infinity' else threshold_checked_at end,
            threshold = $6, updated_at = now()
      where organization_id = $1 and webhook_id = $2`,
    [
      ...[edit.organizationId, before.webhook_id, name, url, events, textOf(draft)],
      ...[enabled, disabledReason, isSwitched && enabled]
    ]
  )
}
