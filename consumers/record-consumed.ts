/** Records the consumed offset of a partition in the transaction that stores its messages.
 *
 * After the database is restored from a backup, consumer groups are reset to these offsets.
 */
import { FencedError } from '../core/message-outcome.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'

/** Position of a group in a partition, reported by one member. */
export interface Consumption {
  readonly groupId: string
  readonly topic: string
  readonly partition: number
  /**
   * Offset of the next message. Earlier messages are processed, but those of the last batch may
   * not be settled yet. If the topic is deleted and created again, the offset starts at 0.
   */
  readonly nextOffset: bigint
  /** Epoch of the member; see MessageBatch.epoch. */
  readonly epoch: number
}

/**
 * Records the consumed offset and locks its row until the transaction ends, so that members with
 * the same partition write one after the other. The offset is not used to skip messages, because
 * duplicates are detected by their identities.
 * @throws {FencedError} if a member that joined the group later has recorded an offset for the
 * partition
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
    throw new FencedError(
      `fenced: a later member of the group has partition ${partition} of ${topic}`
    )
  }
}
