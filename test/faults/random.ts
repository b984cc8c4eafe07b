/** Numbers that only look like chance: the same seed leads to the same load. */

export interface Random {
  /** From 0 up to, and without, 1. */
  next(): number
  /** A whole number from 0 up to, and without, `end`. */
  below(end: number): number
  /** True in this share of the cases. */
  chance(share: number): boolean
}

/** mulberry32: 32 bits of state, good enough to mix a load. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  return {
    next,
    below: (end) => Math.floor(next() * end),
    chance: (share) => next() < share
  }
}
