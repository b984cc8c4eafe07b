/** settle: dead letters first, then the offsets, then the counts; nowhere else commits. */
import type { Consumed, DeadLetter } from '../core/consumed.ts'
import { rootMessageOf } from '../core/root-message.ts'
import type { Logger } from '../platform/telemetry/logger.ts'
import type { Message, MessageBatch } from '../platform/kafka/message-consumer.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import type { RecordProducer } from '../platform/kafka/record-producer.ts'
import { deadLetterRecord } from './dead-letter.ts'
import type { Flood } from './flood.ts'
import { PartitionStop } from './partition-stop.ts'
import { sendAll } from './send-all.ts'

/** @throws {PartitionStop} instead of condemning a flood, or when dead letters are not taken. */
export type Settle = (batch: MessageBatch, outcomes: readonly Consumed[]) => Promise<void>

export interface SettleDependencies {
  readonly producer: RecordProducer
  readonly metrics: Metrics
  readonly logger: Logger
  readonly flood: Flood
  readonly groupId: string
}

interface Condemned {
  readonly message: Message
  readonly outcome: DeadLetter
}

export function createSettle(dependencies: SettleDependencies): Settle {
  const { metrics, logger, flood } = dependencies

  return async function settle(batch, outcomes) {
    const condemned = condemnedOf(batch.messages, outcomes)
    flood.check(batch.messages, outcomes)
    await sendLetters(dependencies, condemned)
    for (const { message, outcome } of condemned) {
      const { topic, partition, offset } = message
      const { step, reason, error } = outcome
      logger.warn({ topic, partition, offset: String(offset), step, reason, error }, 'dead letter')
    }
    await batch.commit()
    flood.remember(batch.messages, outcomes)
    count(metrics, batch, outcomes)
  }
}

const refusal =
  'the dead-letter topic takes no letter of this partition, which stands still until it does; is ' +
  'the topic there, may we write to it, and is its max.message.bytes large enough?'

/**
 * What is not acknowledged there is not skipped here, whatever the reason. The first letter goes
 * alone: while it is not taken, those behind it are not sent again at every look.
 */
async function sendLetters(
  { producer, groupId }: SettleDependencies,
  condemned: readonly Condemned[]
): Promise<void> {
  const recordOf = ({ message, outcome }: Condemned) => deadLetterRecord(message, outcome, groupId)

  async function sendOne(letter: Condemned): Promise<void> {
    try {
      await sendAll(producer, [recordOf(letter)])
    } catch (cause) {
      const fields = { error: rootMessageOf(cause) }
      throw new PartitionStop(refusal, { offset: letter.message.offset, fields, cause })
    }
  }

  const [first, ...others] = condemned
  if (first === undefined) return
  await sendOne(first)
  try {
    await sendAll(producer, others.map(recordOf))
  } catch {
    // Which of them is not taken shows one by one; what lies before it can be settled.
    for (const letter of others) await sendOne(letter)
  }
}

function condemnedOf(messages: readonly Message[], outcomes: readonly Consumed[]): Condemned[] {
  return messages.flatMap((message, index) => {
    const outcome = outcomes[index]
    if (outcome === undefined) throw new Error(`offset ${message.offset} has no outcome`)
    return outcome.kind === 'dead_letter' ? [{ message, outcome }] : []
  })
}

/** Outcomes without a reason are shared objects, so a batch has few different ones. */
function count(metrics: Metrics, { topic }: MessageBatch, outcomes: readonly Consumed[]): void {
  const counts = new Map<Consumed, number>()
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  for (const [outcome, times] of counts) {
    const reason = outcome.kind === 'dead_letter' ? outcome.reason : ''
    metrics.count('sluice_consumed_total', { topic, outcome: outcome.kind, reason }, times)
  }
}
