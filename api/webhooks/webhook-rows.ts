/** The rows of webhooks: where an organization is told of evaluations and thresholds. */
import * as deliveries from './delivery.operation.ts'
import * as webhooks from './webhook.operation.ts'
import type { Guards, Row } from '../../auth/guards.ts'
import type { SessionHandle } from '../../http/route.ts'

export interface WebhookHandlers {
  readonly listWebhooks: SessionHandle
  readonly createWebhook: SessionHandle
  readonly showWebhook: SessionHandle
  readonly changeWebhook: SessionHandle
  readonly deleteWebhook: SessionHandle
  readonly testWebhook: SessionHandle
  readonly rotateSecret: SessionHandle
  readonly listDeliveries: SessionHandle
  readonly redeliver: SessionHandle
}

/** Any session reads; what sends or changes something is for admins. */
// prettier-ignore
export function webhookRows(to: WebhookHandlers, { session, sessionAs }: Guards): readonly Row[] {
  const admin = sessionAs('admin')
  const all = '/v1/evaluation/webhooks'
  const one = `${all}/:webhook_id`
  const sent = `${one}/deliveries`
  return [
    ['get',    all,             session(webhooks.listWebhooksOperation, to.listWebhooks)],
    ['post',   all,             admin(webhooks.createWebhookOperation, to.createWebhook)],
    ['get',    one,             session(webhooks.showWebhookOperation, to.showWebhook)],
    ['patch',  one,             admin(webhooks.changeWebhookOperation, to.changeWebhook)],
    ['delete', one,             admin(webhooks.deleteWebhookOperation, to.deleteWebhook)],
    ['post',   `${one}/test`,   admin(webhooks.testWebhookOperation, to.testWebhook)],
    ['post',   `${one}/rotate-secret`, admin(webhooks.rotateSecretOperation, to.rotateSecret)],
    ['get',    sent,            session(deliveries.listDeliveriesOperation, to.listDeliveries)],
    ['post',   `${sent}/:delivery_id/redeliver`, admin(deliveries.redeliverOperation, to.redeliver)]
  ]
}
