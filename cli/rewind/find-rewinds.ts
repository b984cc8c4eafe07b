/** Where groups have to go back to, so that they read again what a restored database lacks. */

/** How a group stands in one partition. */
export interface Standing {
  readonly group: string
  readonly topic: string
  readonly partition: number
  /** The next offset that the group reads; -1 while it begins at the beginning anyway. */
  readonly committed: bigint
  /** What the database knows of; null when the group has come nowhere by then. */
  readonly recorded: bigint | null
  /** The first offset that the topic still holds. */
  readonly begin: bigint
  /** The offset of the next message, read after `recorded`. */
  readonly end: bigint
}

export interface Rewind extends Standing {
  readonly target: bigint
  /** Messages that are read again. */
  readonly messages: bigint
  /** Messages that the database lacks and the topic no longer holds. */
  readonly gone: bigint
}

/**
 * Back only, never forward: the tables come first, so in order a group stands where they do or
 * before, and what it skipped then has still to be done. A group that has nowhere to go is there
 * all the same when messages are gone.
 */
export function findRewinds(standings: readonly Standing[]): Rewind[] {
  return standings.flatMap((standing) => {
    const { committed, recorded, begin } = standing
    const wanted = isOfAnotherTopic(standing) ? 0n : (recorded ?? 0n)
    if (committed <= wanted && begin <= wanted) return []
    const target = wanted < begin ? begin : wanted
    const messages = committed > target ? committed - target : 0n
    return [{ ...standing, target, messages, gone: target - wanted }]
  })
}

/**
 * Whether the database knows an offset that the topic has not reached: then it was made anew since,
 * or is another cluster's, and nothing of it can be taken as stored.
 */
export function isOfAnotherTopic({ recorded, end }: Standing): boolean {
  return recorded !== null && recorded > end
}
