/** POST /v1/evaluation/webhooks/{id}/rotate-secret: another secret, shown once. */
import type { Sealer } from '../../platform/security/sealed-secret.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { existing } from '../configuration/refusals.ts'
import { takeTurn } from '../configuration/take-turn.ts'
import type { Edit } from '../configuration/take-turn.ts'
import type { Store } from '../store.ts'
import { readWebhook, webhookView } from './stored-webhook.ts'
import { makeSecret } from './webhook-secret.ts'

export interface RotateSecretDependencies {
  readonly store: Store
  readonly sealer: Sealer | null
}

/** How long the secret before stays good: receivers change theirs meanwhile. */
export const secretOverlapHours = 24

export function createRotateSecret(dependencies: RotateSecretDependencies): SessionHandle {
  const { store, sealer } = dependencies

  return async function rotateSecret(call) {
    const id = call.params['webhook_id'] ?? ''
    const { secret, sealed } = makeSecret(sealer, call.principal.organization_id, id)
    const rotated = await takeTurn(store, call, async (edit) => {
      const { name } = existing('webhook', await readWebhook(edit, id), id)
      await replaceSecret(edit, id, sealed)
      await edit.audit('webhook.secret_rotated', id, { name })
      return await readWebhook(edit, id)
    })
    const view = webhookView(existing('webhook', rotated, id))
    return jsonReply(200, JSON.stringify({ ...view, secret }))
  }
}

async function replaceSecret(edit: Edit, id: string, sealed: Buffer): Promise<void> {
  await edit.query(
    `update webhooks
        set secret_before_sealed = secret_sealed,
            secret_before_until = now() + make_interval(hours => $4),
            secret_sealed = $3, updated_at = now()
      where organization_id = $1 and webhook_id = $2`,
    [edit.organizationId, id, sealed, secretOverlapHours]
  )
}
