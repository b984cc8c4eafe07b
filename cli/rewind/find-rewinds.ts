/** Computes the offsets to which consumer groups must be reset after the database is restored. */

/** Position of a consumer group in one partition. */
export interface GroupPosition {
  readonly group: string
  readonly topic: string
  readonly partition: number
  /** Committed offset in Kafka. -1 if there is none; the group then starts at the beginning. */
  readonly committed: bigint
  /** Consumed offset in the database, or null if the database has none for the group. */
  readonly recorded: bigint | null
  /** First offset of the partition. */
  readonly begin: bigint
  /** Offset of the next message. Must be read after `recorded`. */
  readonly end: bigint
}

export interface Rewind extends GroupPosition {
  readonly target: bigint
  /** Number of messages that are read again. */
  readonly messages: bigint
  /** Number of messages that neither the database nor the topic has. */
  readonly lost: bigint
}

/**
 * Computes which groups to reset. A group is moved forward only past messages that the topic no
 * longer has. Rows are committed before offsets, so the committed offset is usually at or before
 * the recorded one and needs no reset. A group with nothing to read again is included if messages
 * are lost.
 */
export function findRewinds(positions: readonly GroupPosition[]): Rewind[] {
  return positions.flatMap((position) => {
    const { committed, recorded, begin } = position
    const required = isBeyondEnd(position) ? 0n : (recorded ?? 0n)
    if (committed <= required && begin <= required) return []
    const target = required < begin ? begin : required
    const messages = committed > target ? committed - target : 0n
    return [{ ...position, target, messages, lost: target - required }]
  })
}

/**
 * Checks whether the database has an offset beyond the end of the topic. In this case, the topic
 * was recreated or belongs to another cluster, and none of its messages are stored.
 */
export function isBeyondEnd({ recorded, end }: GroupPosition): boolean {
  return recorded !== null && recorded > end
}
