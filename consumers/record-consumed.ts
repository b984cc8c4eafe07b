/** Records how far a partition is consumed, in the transaction that stores what came of it. */
// When an older state of the tables is restored, that is where a group has to go back to.
import { FencedError } from '../core/consumed.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'

/** Where a group stands in a partition, and on whose word. */
export interface Consumption {
  readonly groupId: string
  readonly topic: string
  readonly partition: number
  /** Everything before it is settled. A topic that was made anew begins at 0 again. */
  readonly nextOffset: bigint
  /** Of the member who says so; see MessageBatch.epoch. */
  readonly epoch: number
}

/**
 * Nothing is skipped because of what is recorded: whether a decision is new, its identity says.
 * The row stays locked until the transaction ends, so of two members with the same partition one
 * waits for the other, and the one who joined earlier finds that out before it writes.
 * @throws {FencedError} when a member who joined the group later has recorded something.
 */
export async function recordConsumed(
  transaction: Queryable,
  { groupId, topic, partition, nextOffset, epoch }: Consumption
): Promise<void> {
  const recorded = await transaction.query(
    `insert into consumed_offsets as c (group_id, topic, partition, next_offset, epoch)
     values ($1, $2, $3, $4, $5)
     on conflict (group_id, topic, partition) do update
        set next_offset = excluded.next_offset, epoch = excluded.epoch, recorded_at = now()
      where c.epoch <= excluded.epoch
     returning c.epoch`,
    [groupId, topic, partition, String(nextOffset), epoch]
  )
  if (recorded.length === 0) {
    throw new FencedError(`partition ${partition} of ${topic} is a later member's by now`)
  }
}
