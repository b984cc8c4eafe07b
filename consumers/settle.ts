/** Settles a batch: writes dead-letter records, commits the offsets, then updates metrics. No other
 * step of a consumer commits offsets.
 */
import type { MessageOutcome, DeadLetter } from '../core/message-outcome.ts'
import { rootMessageOf } from '../core/root-message.ts'
import type { Logger } from '../platform/telemetry/logger.ts'
import type { Message, MessageBatch } from '../platform/kafka/message-consumer.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import type { RecordProducer } from '../platform/kafka/record-producer.ts'
import { deadLetterRecord } from './dead-letter.ts'
import type { DeadLetterLimit } from './dead-letter-limit.ts'
import { PartitionPause } from './partition-pause.ts'
import { sendAll } from './send-all.ts'

/**
 * @throws {PartitionPause} if the dead-letter limit is reached or a dead-letter record cannot be
 * written
 */
export type Settle = (batch: MessageBatch, outcomes: readonly MessageOutcome[]) => Promise<void>

interface SettleDependencies {
  readonly producer: RecordProducer
  readonly metrics: Metrics
  readonly logger: Logger
  readonly deadLetterLimit: DeadLetterLimit
  readonly groupId: string
}

interface DeadLettered {
  readonly message: Message
  readonly outcome: DeadLetter
}

export function createSettle(dependencies: SettleDependencies): Settle {
  const { metrics, logger, deadLetterLimit } = dependencies

  return async function settle(batch, outcomes) {
    const deadLettered = deadLetteredOf(batch.messages, outcomes)
    deadLetterLimit.check(batch.messages, outcomes)
    await sendDeadLetters(dependencies, deadLettered)
    for (const { message, outcome } of deadLettered) {
      const { topic, partition, offset } = message
      const { step, reason, error } = outcome
      logger.warn(
        { topic, partition, offset: String(offset), step, reason, error },
        'message dead-lettered'
      )
    }
    await batch.commit()
    deadLetterLimit.remember(batch.messages, outcomes)
    count(metrics, batch, outcomes)
  }
}

const notWritable =
  'partition paused: cannot write to the dead-letter topic; check that it exists, its ACLs and ' +
  'max.message.bytes'

/**
 * Sends dead-letter records. Sends the first one alone, so that retries do not repeat all of them
 * while the topic rejects records.
 */
async function sendDeadLetters(
  { producer, groupId }: SettleDependencies,
  deadLettered: readonly DeadLettered[]
): Promise<void> {
  const recordOf = ({ message, outcome }: DeadLettered) =>
    deadLetterRecord(message, outcome, groupId)

  async function sendOne(deadLetter: DeadLettered): Promise<void> {
    try {
      await sendAll(producer, [recordOf(deadLetter)])
    } catch (cause) {
      const fields = { error: rootMessageOf(cause) }
      throw new PartitionPause(notWritable, { offset: deadLetter.message.offset, fields, cause })
    }
  }

  const [first, ...others] = deadLettered
  if (first === undefined) return
  await sendOne(first)
  try {
    await sendAll(producer, others.map(recordOf))
  } catch {
    // Sends the records one by one to find the rejected one, so that the messages before it can be
    // settled.
    for (const other of others) await sendOne(other)
  }
}

function deadLetteredOf(
  messages: readonly Message[],
  outcomes: readonly MessageOutcome[]
): DeadLettered[] {
  return messages.flatMap((message, index) => {
    const outcome = outcomes[index]
    if (outcome === undefined) throw new Error(`offset ${message.offset} has no outcome`)
    return outcome.kind === 'dead_letter' ? [{ message, outcome }] : []
  })
}

/**
 * Counts messages by outcome. Groups them by object first, because outcomes without a reason are
 * shared objects.
 */
function count(
  metrics: Metrics,
  { topic }: MessageBatch,
  outcomes: readonly MessageOutcome[]
): void {
  const counts = new Map<MessageOutcome, number>()
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  for (const [outcome, times] of counts) {
    const reason = outcome.kind === 'dead_letter' ? outcome.reason : ''
    metrics.count('sluice_consumed_total', { topic, outcome: outcome.kind, reason }, times)
  }
}
