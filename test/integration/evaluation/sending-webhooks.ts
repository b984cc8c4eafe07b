/** Sends webhooks as an evaluation process does, from a database that the test file creates. */
import { startWebhooks } from '../../../consumers/evaluation/webhooks/start-webhooks.ts'
import { createOutbound } from '../../../platform/http-client/outbound.ts'
import { createPostWebhook } from '../../../platform/http-client/post-webhook.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import { systemClock as clock } from '../../../platform/process/clock.ts'
import { createSealer } from '../../../platform/security/sealed-secret.ts'
import { createLogger } from '../../../platform/telemetry/logger.ts'
import { createMetrics } from '../../../platform/telemetry/metrics.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import { startWebhookReceiver } from '../../support/webhook-receiver.ts'
import { createWebhookScene } from './webhook-scene.ts'

export const secretsKey = 'a secret of thirty-two characters'

export async function startSendingWebhooks(metrics = createMetrics()) {
  const database = await createTestDatabase()
  const limits = { connectionsMax: 4, statementTimeoutMs: 20_000 }
  const postgres = createPostgres({ url: database.url, applicationName: 'test', ...limits })
  onEnd(() => postgres.close())
  const outbound = createOutbound({ privateAddressesAllowed: true })
  onEnd(() => outbound.close())
  const stop = startWebhooks({
    ...{ postgres, metrics, clock },
    postWebhook: createPostWebhook({ outbound, clock }),
    sealer: createSealer(secretsKey),
    logger: createLogger({ level: 'silent', process: 'test' })
  })
  onEnd(stop)
  const receiver = await startWebhookReceiver()
  return { scene: createWebhookScene(database, secretsKey), receiver }
}
