/** Remembers which identities an audit has seen, as a set of 64-bit hashes. */
import { hash } from 'node:crypto'

export interface SeenIdentities {
  /** Returns false if the identity was seen before. A full set remembers no further identities. */
  isNew(identity: string): boolean
  isFull(): boolean
}

const slotsAtFirst = 2 ** 16
const empty = 0n

/**
 * Creates an empty set. A hash collision makes the second identity count as a duplicate. With ten
 * million identities, one audit in about 370,000 has a collision.
 */
export function createSeenIdentities(identitiesMax: number): SeenIdentities {
  let slots = new BigUint64Array(slotsAtFirst)
  let met = 0

  function grow(): void {
    const before = slots
    slots = new BigUint64Array(before.length * 2)
    for (const digest of before) if (digest !== empty) slots[slotOf(slots, digest)] = digest
  }

  return {
    isNew: (identity) => {
      const digest = digestOf(identity)
      const slot = slotOf(slots, digest)
      if (slots[slot] === digest) return false
      if (met >= identitiesMax) return true
      slots[slot] = digest
      met += 1
      if (met * 2 > slots.length) grow()
      return true
    },
    isFull: () => met >= identitiesMax
  }
}

function digestOf(identity: string): bigint {
  const digest = hash('sha256', identity, 'buffer').readBigUInt64LE()
  return digest === empty ? 1n : digest
}

/**
 * Returns the slot that holds the digest, or the free slot for it. The number of slots must be a
 * power of two.
 */
function slotOf(slots: BigUint64Array, digest: bigint): number {
  const mask = slots.length - 1
  let slot = Number(digest & BigInt(mask))
  while (slots[slot] !== empty && slots[slot] !== digest) slot = (slot + 1) & mask
  return slot
}
