/** Starts webhooks in the evaluation process, with a separate Postgres pool and HTTP client. */
import { systemClock as clock } from '../../platform/process/clock.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { createOutbound } from '../../platform/http-client/outbound.ts'
import {
  createPostWebhook,
  webhookAnswerBytesMax
} from '../../platform/http-client/post-webhook.ts'
import { createSealer } from '../../platform/security/sealed-secret.ts'
import { openPostgres } from '../group.ts'
import type { GroupContext } from '../group.ts'
import { startWebhooks } from './webhooks/start-webhooks.ts'

const connectionsMax = 4

/**
 * Does nothing if SECRETS_KEY is not set: payloads cannot be signed, and the API rejects new
 * webhooks.
 * @returns a function that stops webhooks
 */
export function openWebhooks(context: GroupContext, metrics: Metrics): () => Promise<void> {
  const { config, lifecycle, logger } = context
  if (config.SECRETS_KEY === null) {
    logger.info({}, 'webhooks disabled: SECRETS_KEY is not set')
    return () => Promise.resolve()
  }
  const name = `${config.EVALUATION_GROUP_ID} webhooks`
  const postgres = openPostgres(context, { name, connectionsMax })
  const outbound = createOutbound({
    privateAddressesAllowed: config.PRIVATE_ADDRESSES_ALLOWED,
    responseBytesMax: webhookAnswerBytesMax
  })
  lifecycle.onStop('webhook requests', () => outbound.close())
  return startWebhooks({
    postgres,
    metrics,
    logger,
    clock,
    postWebhook: createPostWebhook({ outbound, clock }),
    sealer: createSealer(config.SECRETS_KEY)
  })
}
