/** Retries the work of a batch while it fails with a transient error, so that an outage causes no
 * dead-letter records.
 */
import { backoffMs } from '../core/backoff.ts'
import { TransientError } from '../core/message-outcome.ts'
import type { Logger } from '../platform/telemetry/logger.ts'
import type { MessageBatch } from '../platform/kafka/message-consumer.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'

/**
 * Repeats `work` while it fails with a TransientError. Sends heartbeats during the attempts and
 * between them.
 * @returns 'over' if the partition is revoked or the process stops first
 */
export type RetryWhileTransient = <R>(
  batch: MessageBatch,
  work: () => Promise<R>
) => Promise<R | 'over'>

const backoff = { baseMs: 100, capMs: 5000 }
/**
 * Interval in milliseconds. It can be short, because the Kafka client sends a heartbeat only when
 * one is due.
 */
const heartbeatMs = 500

export function createRetryWhileTransient(dependencies: {
  logger: Logger
  metrics: Metrics
}): RetryWhileTransient {
  const { logger, metrics } = dependencies

  return async function retryWhileTransient(batch, work) {
    const { topic, partition } = batch
    for (let attempt = 1; !batch.isOver(); attempt++) {
      try {
        const result = await withHeartbeats(batch, work())
        if (attempt > 1) logger.info({ topic, partition, attempt }, 'retry succeeded')
        return result
      } catch (error) {
        if (!(error instanceof TransientError)) throw error
        metrics.count('sluice_consumer_retries_total', { topic })
        logger.warn(
          { topic, partition, attempt, error: error.message },
          'retrying after a transient error'
        )
        await withHeartbeats(batch, pause(backoffMs(backoff, attempt, Math.random())))
      }
    }
    return 'over'
  }
}

/**
 * Sends heartbeats while `work` runs. A failed heartbeat means a rebalance, so its error is
 * rethrown and nothing is committed.
 */
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
