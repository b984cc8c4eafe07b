/** Which identities were met already, in little memory: eight bytes of a hash for each. */
import { hash } from 'node:crypto'

export interface SeenIdentities {
  /** False when it was met before. Once it is full, what was not met before is not remembered. */
  isNew(identity: string): boolean
  isFull(): boolean
}

const slotsAtFirst = 2 ** 16
const empty = 0n

/**
 * Two identities with the same 64 bits are taken for one, which among ten million happens once in
 * some 300,000 audits; the second is then counted as a duplicate, and its row was looked up all
 * the same.
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

/** Where the digest is, or where it would be. The number of slots is a power of two. */
function slotOf(slots: BigUint64Array, digest: bigint): number {
  const mask = slots.length - 1
  let slot = Number(digest & BigInt(mask))
  while (slots[slot] !== empty && slots[slot] !== digest) slot = (slot + 1) & mask
  return slot
}
