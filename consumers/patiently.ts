/** Waits out what passes: an outage pauses a batch, and never condemns a message in it. */
import { backoffMs } from '../core/backoff.ts'
import { TransientError } from '../core/consumed.ts'
import type { Logger } from '../platform/telemetry/logger.ts'
import type { MessageBatch } from '../platform/kafka/message-consumer.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'

/**
 * Repeats `work` while it fails with a TransientError, with heartbeats, until it succeeds or the
 * batch is over (revoked, or the process stops).
 */
export type Patiently = <R>(batch: MessageBatch, work: () => Promise<R>) => Promise<R | 'over'>

const backoff = { baseMs: 100, capMs: 5000 }
/** The client sends one only when it is due, so asking often costs nothing. */
const heartbeatMs = 500

export function createPatiently(dependencies: { logger: Logger; metrics: Metrics }): Patiently {
  const { logger, metrics } = dependencies

  return async function patiently(batch, work) {
    const { topic, partition } = batch
    for (let attempt = 1; !batch.isOver(); attempt++) {
      try {
        const result = await withHeartbeats(batch, work())
        if (attempt > 1) logger.info({ topic, partition, attempt }, 'goes on again')
        return result
      } catch (error) {
        if (!(error instanceof TransientError)) throw error
        metrics.count('sluice_consumer_retries_total', { topic })
        logger.warn({ topic, partition, attempt, error: error.message }, 'waiting to try again')
        await withHeartbeats(batch, pause(backoffMs(backoff, attempt, Math.random())))
      }
    }
    return 'over'
  }
}

/** A heartbeat that fails means a rebalance: its error passes on, and nothing is committed. */
async function withHeartbeats<R>(batch: MessageBatch, work: Promise<R>): Promise<R> {
  const evicted = Promise.withResolvers<never>()
  const timer = setInterval(() => void batch.heartbeat().catch(evicted.reject), heartbeatMs)
  try {
    const result = await Promise.race([work, evicted.promise])
    await batch.heartbeat()
    return result
  } finally {
    clearInterval(timer)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
