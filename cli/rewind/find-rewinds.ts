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
 * before, and what it skipped then has still to be done.
 */
export function findRewinds(standings: readonly Standing[]): Rewind[] {
  return standings.flatMap((standing) => {
    const { committed, recorded, begin } = standing
    const wanted = recorded ?? 0n
    if (committed <= wanted) return []
    const target = wanted < begin ? begin : wanted
    const messages = committed > target ? committed - target : 0n
    return [{ ...standing, target, messages, gone: target - wanted }]
  })
}
