/** Sends webhooks: hands out what is due, sends it, and takes back what was left behind. */
import type { Clock } from '../../../core/clock.ts'
import type { Job, JobQueue } from '../../../platform/postgres/job-queue.ts'
import type { Logger } from '../../../platform/telemetry/logger.ts'
import type { Metrics } from '../../../platform/telemetry/metrics.ts'
import type { PostWebhook } from '../../../platform/http-client/post-webhook.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import type { Sealer } from '../../../platform/security/sealed-secret.ts'
import type { DeliveryKey } from './delivery.ts'
import { handOut, takeBack } from './hand-out.ts'
import { keepGoing } from './keep-going.ts'
import { expireDeliveries, pruneDeliveries } from './prune-deliveries.ts'
import { createSendDelivery } from './send-delivery.ts'
import { watchThresholds } from './watch-thresholds.ts'

export interface WebhooksContext {
  readonly postgres: Postgres
  readonly queue: JobQueue<DeliveryKey>
  readonly postWebhook: PostWebhook
  readonly sealer: Sealer
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
}

/** On their way at once in this process; they mostly wait. */
const sendingMax = 64
const everyMs = 1000
/** Each threshold is measured once a minute; this is how late that may be. */
const thresholdsEveryMs = 5000
const pruneEveryMs = 60_000

/** Begins at once; returns what stops it, which waits for what is on its way. */
export function startWebhooks(context: WebhooksContext): () => Promise<void> {
  const parts = [
    startSending(context),
    every(context, 'take back deliveries', { work: () => upkeep(context), idleMs: everyMs }),
    every(context, 'watch thresholds', {
      work: () => watch(context),
      idleMs: thresholdsEveryMs
    }),
    every(context, 'prune deliveries', {
      work: () => pruneDeliveries(context.postgres),
      idleMs: pruneEveryMs
    })
  ]
  return async function stop() {
    await Promise.all(parts.map((part) => part.stop()))
  }
}

interface Part {
  readonly work: () => Promise<void>
  readonly idleMs: number
}

function every({ logger }: WebhooksContext, what: string, { work, idleMs }: Part) {
  return keepGoing({
    work: async () => {
      await work()
      return false
    },
    idleMs,
    onError: (error) => logger.warn({ error }, `could not ${what}; trying again`)
  })
}

async function watch({ postgres, clock, logger }: WebhooksContext): Promise<void> {
  await watchThresholds({
    ...{ postgres, clock },
    onFailure: (webhookId, error) => {
      logger.warn({ webhook_id: webhookId, error }, 'could not measure a threshold')
    }
  })
}

async function upkeep({ postgres, metrics }: WebhooksContext): Promise<void> {
  await takeBack({ postgres })
  for (const event of await expireDeliveries(postgres)) {
    metrics.count('sluice_webhook_deliveries_total', { event, outcome: 'expired' })
  }
}

function startSending(context: WebhooksContext): { stop(): Promise<void> } {
  const { queue, logger } = context
  const sendDelivery = createSendDelivery(context)
  const sending = new Set<Promise<void>>()

  /** First what a process that was killed left in the queue. */
  async function take(room: number): Promise<Job<DeliveryKey>[]> {
    const left = await queue.fetch(room)
    if (left.length === room) return left
    const handedOut = await handOut(context, room - left.length)
    return handedOut === 0 ? left : [...left, ...(await queue.fetch(handedOut))]
  }

  async function round(): Promise<boolean> {
    const room = sendingMax - sending.size
    // The next delivery that ends makes room.
    if (room <= 0) return false
    const jobs = await take(room)
    for (const job of jobs) {
      const sent = sendDelivery(job)
        .catch((error: unknown) => {
          logger.warn({ error }, 'could not write down a delivery; it will be sent again')
        })
        .finally(() => {
          sending.delete(sent)
          going.nudge()
        })
      sending.add(sent)
    }
    return jobs.length > 0 && sending.size < sendingMax
  }

  const going = keepGoing({
    work: round,
    idleMs: everyMs,
    onError: (error) => logger.warn({ error }, 'could not fetch deliveries; trying again')
  })
  return {
    stop: async () => {
      await going.stop()
      await Promise.all(sending)
    }
  }
}
