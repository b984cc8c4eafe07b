/** Consumes batches: takes messages through the steps of a consumer group. Read this file after
 * gateway/ingest/ingest.ts.
 *
 *     agent-decisions ──────▶ storage:     decode ▶ store ▶ settle
 *     agent-decisions ──────▶ evaluation:  decode ▶ plan ▶ evaluate ▶ publish ▶ settle
 *     decision-evaluations ─▶ storage:     decode ▶ store ▶ settle
 *
 * The unit of work is a batch: consecutive messages of one partition. Each group has a handler for
 * the steps between decode and settle.
 *
 * - Settle writes dead-letter records, waits for their acknowledgement, then commits the offsets.
 * - If the process crashes before the commit, Kafka redelivers the batch. This is safe, because
 *   rows and records carry the identity of their decision and duplicates are detected.
 * - A transient error is retried (retry-while-transient.ts) and never causes a dead-letter record.
 * - Too many dead-letter records pause the partition (dead-letter-limit.ts, pause-partitions.ts).
 * - Evaluation defers decisions that exceed their organization's share (evaluation/deferral/).
 */
import type { MessageOutcome } from '../core/message-outcome.ts'
import type { Decode, Decoded } from '../platform/registry/decode.ts'
import type { MessageBatch } from '../platform/kafka/message-consumer.ts'
import type { Registry } from '../platform/registry/schema-registry.ts'
import type { DeadLetterLimit } from './dead-letter-limit.ts'
import { decodeBatch } from './decode-batch.ts'
import type { RetryWhileTransient } from './retry-while-transient.ts'
import type { Settle } from './settle.ts'

/** Returns one outcome per value, in the order of the values. Must be idempotent. */
export type HandleBatch<T> = (
  values: readonly T[],
  batch: MessageBatch
) => Promise<readonly MessageOutcome[]>

/** Parts that the handlers of all groups share. */
export interface ConsumerParts {
  readonly groupId: string
  readonly registry: Registry
  readonly deadLetterLimit: DeadLetterLimit
  readonly settle: Settle
  readonly retryWhileTransient: RetryWhileTransient
}

interface ConsumerDependencies<T> extends Omit<ConsumerParts, 'groupId' | 'registry'> {
  readonly decode: Decode<T>
  readonly handle: HandleBatch<T>
}

export function createConsumeBatch<T>(dependencies: ConsumerDependencies<T>) {
  const { decode, handle, deadLetterLimit, settle, retryWhileTransient } = dependencies

  return async function consumeBatch(batch: MessageBatch): Promise<void> {
    const decoded = await retryWhileTransient(batch, () =>
      decodeBatch(batch.messages, decode, deadLetterLimit)
    )
    if (decoded === 'over') return
    const values = decoded.flatMap((item) => (item.kind === 'decoded' ? [item.value] : []))
    const handled = await retryWhileTransient(batch, () => handle(values, batch))
    if (handled === 'over') return
    await retryWhileTransient(batch, () => settle(batch, mergeOutcomes(decoded, handled)))
  }
}

/** Returns one outcome per message: the outcome of the handler, or the decoding failure. */
function mergeOutcomes<T>(
  decoded: readonly Decoded<T>[],
  handled: readonly MessageOutcome[]
): MessageOutcome[] {
  const outcomes = handled.values()
  return decoded.map((item) => {
    if (item.kind !== 'decoded') return item
    const outcome = outcomes.next().value
    if (outcome === undefined) throw new Error('a handler returned fewer outcomes than values')
    return outcome
  })
}
