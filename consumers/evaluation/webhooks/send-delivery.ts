/** Sends a delivery: open the secret ▶ post ▶ conclude. */
import type { Logger } from '../../../platform/telemetry/logger.ts'
import type { Metrics } from '../../../platform/telemetry/metrics.ts'
import type { PostWebhook, WebhookResponse } from '../../../platform/http-client/post-webhook.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import { SealError, secretContextOf } from '../../../platform/security/sealed-secret.ts'
import type { Sealer } from '../../../platform/security/sealed-secret.ts'
import { concludeDelivery } from './conclude-delivery.ts'
import { deliveryResultOf } from './delivery.ts'
import type { TakenDelivery } from './delivery.ts'

export interface SendDeliveryDependencies {
  readonly postgres: Postgres
  readonly postWebhook: PostWebhook
  readonly sealer: Pick<Sealer, 'open'>
  readonly metrics: Metrics
  readonly logger: Logger
}

/** Never rejects. */
type SendDelivery = (delivery: TakenDelivery) => Promise<void>

/** Delivers at least once: a delivery is sent again if its result could not be stored. */
export function createSendDelivery(dependencies: SendDeliveryDependencies): SendDelivery {
  const { postgres, postWebhook, sealer, metrics, logger } = dependencies

  async function attempt(delivery: TakenDelivery): Promise<WebhookResponse> {
    const { url, delivery_id: id, payload } = delivery
    try {
      return await postWebhook({ url, id, payload, secrets: secretsOf(delivery, sealer) })
    } catch (error) {
      if (!(error instanceof SealError)) throw error
      return { outcome: 'failed', http_status: null, error: error.message, retryAfterMs: null }
    }
  }

  async function send(delivery: TakenDelivery): Promise<void> {
    const answer = await attempt(delivery)
    const result = deliveryResultOf(delivery, answer, Math.random())
    const disabledReason = await concludeDelivery(postgres, delivery, { answer, result })
    const outcome = result.kind === 'retry' ? 'retried' : result.kind
    metrics.count('sluice_webhook_deliveries_total', { event: delivery.event, outcome })
    if (disabledReason === null) return
    const { organization_id, webhook_id } = delivery
    logger.warn({ organization_id, webhook_id, disabledReason }, 'webhook disabled')
  }

  return (delivery) =>
    send(delivery).catch((error: unknown) => {
      logger.warn({ error }, 'cannot store the result of a delivery; it will be sent again')
    })
}

/** Returns the newer secret first, because most receivers check only the first signature. */
function secretsOf(delivery: TakenDelivery, sealer: Pick<Sealer, 'open'>): readonly string[] {
  const { organization_id, webhook_id, secret_sealed, secret_before_sealed } = delivery
  const context = secretContextOf(organization_id, webhook_id)
  const sealed = secret_before_sealed === null ? [] : [secret_before_sealed]
  return [secret_sealed, ...sealed].map((each) => sealer.open(each, context))
}
