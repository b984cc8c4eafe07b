/** POST /v1/evaluation/webhooks/{id}/test: a signed webhook now, and what came of it. */
import type { Clock } from '../../core/clock.ts'
import { uuidv7 } from '../../core/ids/ids.ts'
import { testEvent } from '../../core/webhook.ts'
import type { PostWebhook } from '../../platform/http-client/post-webhook.ts'
import type { Sealer } from '../../platform/security/sealed-secret.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { existing } from '../configuration/refusals.ts'
import type { Store } from '../store.ts'
import { readWebhook } from './stored-webhook.ts'
import { openSecrets } from './webhook-secret.ts'

export interface TestWebhookDependencies {
  readonly store: Store
  readonly clock: Clock
  readonly sealer: Sealer | null
  readonly postWebhook: PostWebhook
}

/**
 * It is sent once, whether or not the webhook is switched on, and changes nothing of it. Of the
 * answer only the status is told: a URL must not become a way to read what is behind it.
 */
export function createTestWebhook(dependencies: TestWebhookDependencies): SessionHandle {
  const { store, clock, sealer, postWebhook } = dependencies

  return async function testWebhook({ principal, params }) {
    const { organization_id } = principal
    const id = params['webhook_id'] ?? ''
    const webhook = existing('webhook', await readWebhook(store.of(organization_id), id), id)
    const secrets = openSecrets(sealer, organization_id, webhook)
    const begunAt = clock.now()
    const delivery_id = uuidv7(begunAt)
    const { webhook_id, name, url } = webhook
    const created_at = new Date(begunAt).toISOString()
    const head = { id: delivery_id, type: testEvent, created_at }
    const payload = JSON.stringify({ ...head, organization_id, webhook_id, name })
    const { outcome, http_status, error } = await postWebhook({
      ...{ url, id: delivery_id, payload, secrets }
    })
    const duration_ms = clock.now() - begunAt
    const delivered = outcome === 'delivered'
    return jsonReply(
      200,
      JSON.stringify({ delivery_id, delivered, http_status, error, duration_ms })
    )
  }
}
