/** The path of a message through a consumer group. Read this file second.
 *
 *     agent-decisions ──────▶ storage:     decode ▶ store ▶ settle
 *     agent-decisions ──────▶ evaluation:  decode ▶ plan ▶ evaluate ▶ publish ▶ settle
 *     decision-evaluations ─▶ storage:     decode ▶ store ▶ settle
 *
 * Evaluation plans later what an organization sends beyond its share (evaluation/deferral/).
 *
 * Settling is always: dead letters first, their acknowledgement awaited, then the offsets. A crash
 * anywhere before repeats the batch; that is safe, since what a handler makes keeps its identity.
 * A flood of dead letters is thrown instead, and stops the partition (stop-partitions.ts).
 */
import type { Consumed } from '../core/consumed.ts'
import type { Decoded } from '../platform/registry/decode.ts'
import type { Message, MessageBatch } from '../platform/kafka/message-consumer.ts'
import type { Patiently } from './patiently.ts'
import type { Settle } from './settle.ts'

/**
 * One for each message, in their order.
 * @throws {TransientError} while a writer's schema cannot be fetched.
 * @throws {PartitionStop} when too many of them are none.
 */
export type DecodeBatch<T> = (messages: readonly Message[]) => Promise<readonly Decoded<T>[]>

/**
 * One outcome for each value, in their order. Must be safe to repeat.
 * @throws {TransientError} when what it needs is away; then nothing of the batch is settled.
 * @throws {FencedError} when the partition is another member's by now; then nothing ever is.
 */
export type HandleBatch<T> = (
  values: readonly T[],
  batch: MessageBatch
) => Promise<readonly Consumed[]>

export interface ConsumerDependencies<T> {
  readonly decode: DecodeBatch<T>
  readonly handle: HandleBatch<T>
  readonly settle: Settle
  readonly patiently: Patiently
}

export function createConsumeBatch<T>(dependencies: ConsumerDependencies<T>) {
  const { decode, handle, settle, patiently } = dependencies

  return async function consumeBatch(batch: MessageBatch): Promise<void> {
    const decoded = await patiently(batch, () => decode(batch.messages))
    if (decoded === 'over') return
    const values = decoded.flatMap((item) => (item.kind === 'decoded' ? [item.value] : []))
    const handled = await patiently(batch, () => handle(values, batch))
    if (handled === 'over') return
    await patiently(batch, () => settle(batch, inOrder(decoded, handled)))
  }
}

/**
 * Puts what the handler made of the decoded messages back between those that were not decodable.
 */
function inOrder<T>(decoded: readonly Decoded<T>[], handled: readonly Consumed[]): Consumed[] {
  const outcomes = handled.values()
  return decoded.map((item) => {
    if (item.kind !== 'decoded') return item
    const outcome = outcomes.next().value
    if (outcome === undefined) throw new Error('a handler returned fewer outcomes than values')
    return outcome
  })
}
