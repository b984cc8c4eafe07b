/** What webhooks need of a process of their own: connections, the queue, and the way out. */
import { systemClock as clock } from '../../platform/process/clock.ts'
import { createJobQueue } from '../../platform/postgres/job-queue.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { createOutbound } from '../../platform/http-client/outbound.ts'
import {
  createPostWebhook,
  webhookAnswerBytesMax
} from '../../platform/http-client/post-webhook.ts'
import { createPostgres } from '../../platform/postgres/postgres.ts'
import { createSealer } from '../../platform/security/sealed-secret.ts'
import type { GroupContext } from '../group.ts'
import type { DeliveryKey } from './webhooks/delivery.ts'
import { startWebhooks } from './webhooks/start-webhooks.ts'

const connectionsMax = 4
const statementTimeoutMs = 30_000

/** Without SECRETS_KEY nothing can be signed, and no webhook can be made either. */
export function openWebhooks(context: GroupContext, metrics: Metrics): void {
  const { config, lifecycle, logger } = context
  if (config.SECRETS_KEY === null) {
    logger.info({}, 'webhooks are not sent: SECRETS_KEY is not set')
    return
  }
  const postgres = createPostgres({
    url: config.DATABASE_URL,
    ca: config.DATABASE_TLS_CA,
    applicationName: `${config.EVALUATION_GROUP_ID} webhooks`,
    ...{ connectionsMax, statementTimeoutMs }
  })
  lifecycle.onStop('postgres of webhooks', () => postgres.close())
  const queue = createJobQueue<DeliveryKey>({
    ...{ postgres, name: 'webhook-deliveries' },
    onError: (error) => logger.warn({ error }, 'the queue of webhooks could not be kept')
  })
  lifecycle.onStop('queue of webhooks', () => queue.stop())
  const outbound = createOutbound({
    privateAddressesAllowed: config.PRIVATE_ADDRESSES_ALLOWED,
    responseBytesMax: webhookAnswerBytesMax
  })
  lifecycle.onStop('calls to webhooks', () => outbound.close())
  const stop = startWebhooks({
    ...{ postgres, queue, metrics, logger, clock },
    postWebhook: createPostWebhook({ outbound, clock }),
    sealer: createSealer(config.SECRETS_KEY)
  })
  lifecycle.onStop('webhooks', stop)
}
