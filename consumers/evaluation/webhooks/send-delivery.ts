/** One delivery from its job to its end: claim ▶ open the secret ▶ post ▶ conclude. */
import type { Job, JobQueue } from '../../../platform/postgres/job-queue.ts'
import type { Logger } from '../../../platform/telemetry/logger.ts'
import type { Metrics } from '../../../platform/telemetry/metrics.ts'
import type { PostWebhook, WebhookAnswer } from '../../../platform/http-client/post-webhook.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import { SealError } from '../../../platform/security/sealed-secret.ts'
import type { Sealer } from '../../../platform/security/sealed-secret.ts'
import { webhookSecretContextOf } from '../../../platform/http-client/webhook-signature.ts'
import { claimDelivery } from './claim-delivery.ts'
import { concludeDelivery } from './conclude-delivery.ts'
import { verdictOn } from './delivery.ts'
import type { ClaimedDelivery, DeliveryKey } from './delivery.ts'

export interface SendDeliveryDependencies {
  readonly postgres: Postgres
  readonly queue: Pick<JobQueue<DeliveryKey>, 'complete'>
  readonly postWebhook: PostWebhook
  readonly sealer: Pick<Sealer, 'open'>
  readonly metrics: Metrics
  readonly logger: Logger
}

export type SendDelivery = (job: Job<DeliveryKey>) => Promise<void>

/** Whatever is not written down of it happens again: sent at least once, never once exactly. */
export function createSendDelivery(dependencies: SendDeliveryDependencies): SendDelivery {
  const { postgres, postWebhook, sealer, metrics, logger } = dependencies

  async function attempt(delivery: ClaimedDelivery): Promise<WebhookAnswer> {
    const { url, delivery_id: id, payload } = delivery
    try {
      return await postWebhook({ url, id, payload, secrets: secretsOf(delivery, sealer) })
    } catch (error) {
      if (!(error instanceof SealError)) throw error
      return { outcome: 'failed', http_status: null, error: error.message, retryAfterMs: null }
    }
  }

  return async function sendDelivery(job) {
    const delivery = await claimDelivery(dependencies, job)
    if (delivery === null) return
    const answer = await attempt(delivery)
    const verdict = verdictOn(delivery, answer, Math.random())
    const disabledReason = await concludeDelivery(postgres, delivery, { answer, verdict })
    const outcome = verdict.kind === 'retry' ? 'retried' : verdict.kind
    metrics.count('sluice_webhook_deliveries_total', { event: delivery.event, outcome })
    if (disabledReason === null) return
    const { organization_id, webhook_id } = delivery
    logger.warn({ organization_id, webhook_id, disabledReason }, 'switched off a webhook')
  }
}

/** The newer first: most receivers look no further. */
function secretsOf(delivery: ClaimedDelivery, sealer: Pick<Sealer, 'open'>): readonly string[] {
  const { organization_id, webhook_id, secret_sealed, secret_before_sealed } = delivery
  const context = webhookSecretContextOf(organization_id, webhook_id)
  const sealed = secret_before_sealed === null ? [] : [secret_before_sealed]
  return [secret_sealed, ...sealed].map((each) => sealer.open(each, context))
}
