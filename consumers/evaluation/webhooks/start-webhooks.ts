/** Sends webhooks: takes and sends due deliveries, and recovers deliveries of killed processes. */
import type { Clock } from '../../../core/clock.ts'
import { every } from '../../../platform/process/every.ts'
import { expireDeliveries, pruneDeliveries } from './prune-deliveries.ts'
import { startWorkLoop } from '../work-loop.ts'
import { createSendDelivery } from './send-delivery.ts'
import type { SendDeliveryDependencies } from './send-delivery.ts'
import { takeBack, takeDeliveries } from './take-deliveries.ts'
import { watchThresholds } from './watch-thresholds.ts'

interface WebhooksContext extends SendDeliveryDependencies {
  readonly clock: Clock
}

/**
 * Maximum number of concurrent requests in this process. High, because requests mostly wait for the
 * receiver.
 */
const sendingMax = 64
const everyMs = 1000
/**
 * Interval in milliseconds between checks for due thresholds. A threshold is due one minute after
 * its previous measurement, and then waits for the next check.
 */
const thresholdsEveryMs = 5000
const pruneEveryMs = 60_000

/** @returns a function that stops sending and resolves when the requests in progress have ended */
export function startWebhooks(context: WebhooksContext): () => Promise<void> {
  const { postgres, logger } = context
  const repeat = (name: string, ms: number, work: (signal: AbortSignal) => Promise<void>) => {
    const onError = (error: unknown) => logger.warn({ error }, `cannot ${name}; retrying`)
    return every({ ms, onError }, work)
  }
  const tasks = [
    startSending(context),
    repeat('recover deliveries', everyMs, () => maintenance(context)),
    repeat('watch thresholds', thresholdsEveryMs, (signal) => watch(context, signal)),
    repeat('prune deliveries', pruneEveryMs, () => pruneDeliveries(postgres))
  ]
  return async function stop() {
    await Promise.all(tasks.map((task) => task.stop()))
  }
}

async function watch(
  { postgres, clock, logger }: WebhooksContext,
  signal: AbortSignal
): Promise<void> {
  await watchThresholds({
    postgres,
    clock,
    signal,
    onFailure: (webhookId, error) => {
      logger.warn({ webhook_id: webhookId, error }, 'cannot measure a threshold')
    }
  })
}

async function maintenance({ postgres, metrics }: WebhooksContext): Promise<void> {
  await takeBack(postgres)
  for (const event of await expireDeliveries(postgres)) {
    metrics.count('sluice_webhook_deliveries_total', { event, outcome: 'expired' })
  }
}

function startSending(context: WebhooksContext): { stop(): Promise<void> } {
  const { postgres, logger } = context
  const take = (room: number) => takeDeliveries(postgres, room)
  const work = createSendDelivery(context)
  const onError = (error: unknown) => logger.warn({ error }, 'cannot take deliveries; retrying')
  const loop = startWorkLoop({ take, work, concurrencyMax: sendingMax }, { ms: everyMs, onError })
  return {
    stop: async () => {
      await loop.stop()
      await loop.settled()
    }
  }
}
