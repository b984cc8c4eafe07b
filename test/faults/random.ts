/** Seeded pseudo-random numbers: the same seed generates the same load. */

export interface Random {
  /** Returns a number in [0, 1). */
  next(): number
  /** Returns an integer in [0, end). */
  below(end: number): number
  /** Returns true with the given probability. */
  chance(share: number): boolean
}

/** Creates a mulberry32 generator, whose 32 bits of state are enough for generating load. */
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
