/** settle: dead letters first, then the offsets, then the counts; nowhere else commits. */
import type { Consumed, DeadLetter } from '../core/consumed.ts'
import type { Logger } from '../platform/logger.ts'
import type { Message, MessageBatch } from '../platform/message-consumer.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { RecordProducer } from '../platform/record-producer.ts'
import { deadLetterRecord } from './dead-letter.ts'
import { sendAll } from './send-all.ts'

/**
 * @throws {TransientError} when a dead letter is not acknowledged: then nothing is committed.
 */
export type Settle = (batch: MessageBatch, outcomes: readonly Consumed[]) => Promise<void>

export interface SettleDependencies {
  readonly producer: RecordProducer
  readonly metrics: Metrics
  readonly logger: Logger
}

interface Condemned {
  readonly message: Message
  readonly outcome: DeadLetter
}

export function createSettle(dependencies: SettleDependencies): Settle {
  const { producer, metrics, logger } = dependencies

  return async function settle(batch, outcomes) {
    const condemned = condemnedOf(batch.messages, outcomes)
    const letters = condemned.map(({ message, outcome }) => deadLetterRecord(message, outcome))
    await sendAll(producer, letters)
    for (const { message, outcome } of condemned) {
      const { topic, partition, offset } = message
      const { step, reason, error } = outcome
      logger.warn({ topic, partition, offset: String(offset), step, reason, error }, 'dead letter')
    }
    await batch.commit()
    count(metrics, batch, outcomes)
  }
}

function condemnedOf(messages: readonly Message[], outcomes: readonly Consumed[]): Condemned[] {
  return messages.flatMap((message, index) => {
    const outcome = outcomes[index]
    if (outcome === undefined) throw new Error(`offset ${message.offset} has no outcome`)
    return outcome.kind === 'dead_letter' ? [{ message, outcome }] : []
  })
}

function count(metrics: Metrics, batch: MessageBatch, outcomes: readonly Consumed[]): void {
  const { topic, partition, messages, highWatermark } = batch
  for (const outcome of outcomes) {
    const reason = outcome.kind === 'dead_letter' ? outcome.reason : ''
    metrics.count('sluice_consumed_total', { topic, outcome: outcome.kind, reason })
  }
  const lag = Number(highWatermark - (messages.at(-1)?.offset ?? highWatermark) - 1n)
  const labels = { topic, partition: String(partition) }
  metrics.set('sluice_consumer_lag_messages', labels, Math.max(0, lag))
}
