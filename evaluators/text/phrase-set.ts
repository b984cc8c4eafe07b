/** Phrase sets: hash tables of phrase hashes. Each is built for one comparison and then discarded,
 * so building must be faster than with a `Set`.
 */

/** Hash table with open addressing and linear probing. */
export interface PhraseSet {
  readonly places: number[]
  /** Number of slots minus one. The number of slots is a power of two. */
  readonly mask: number
}

/**
 * Maximum number of slots probed for a phrase, because all phrases of a crafted text can collide. A
 * phrase without a slot counts as new.
 */
const probesMax = 16
/** Value of an empty slot. A phrase with this value is stored as 1. */
const empty = 0

export function phraseSetOf(phrases: readonly number[]): PhraseSet {
  const set = emptySetFor(phrases)
  for (let at = 0; at < phrases.length; at++) put(set, phrases[at] ?? empty)
  return set
}

/**
 * Returns the number of distinct phrases. It is too high if phrases that occur several times have
 * no slot.
 */
export function distinctOf(phrases: readonly number[]): number {
  const set = emptySetFor(phrases)
  let distinct = 0
  for (let at = 0; at < phrases.length; at++) {
    if (put(set, phrases[at] ?? empty)) distinct++
  }
  return distinct
}

/** Returns the share of the phrases that are in the set, from 0 to 1. */
export function shareWithin(phrases: readonly number[], set: PhraseSet): number {
  let found = 0
  for (let at = 0; at < phrases.length; at++) {
    if (has(set, phrases[at] ?? empty)) found++
  }
  return phrases.length === 0 ? 0 : found / phrases.length
}

export function has(set: PhraseSet, phrase: number): boolean {
  const value = phrase === empty ? 1 : phrase
  const at = placeOf(set, value)
  return at >= 0 && set.places[at] === value
}

/** Adds a phrase. Returns true if it was new or has no slot. */
function put(set: PhraseSet, phrase: number): boolean {
  const value = phrase === empty ? 1 : phrase
  const at = placeOf(set, value)
  if (at < 0) return true
  if (set.places[at] === value) return false
  set.places[at] = value
  return true
}

/** Returns the slot of the value or a free slot for it, or -1 if all probed slots are taken. */
function placeOf({ places, mask }: PhraseSet, value: number): number {
  const start = value ^ (value >>> 15)
  for (let probe = 0; probe < probesMax; probe++) {
    const at = (start + probe) & mask
    if (places[at] === empty || places[at] === value) return at
  }
  return -1
}

/**
 * Creates a set that will be at most half full. Its size is a power of two, so that a bit mask
 * selects the slot.
 */
function emptySetFor(phrases: readonly number[]): PhraseSet {
  const size = 1 << (32 - Math.clz32(Math.max(15, phrases.length * 2 - 1)))
  return { places: new Array<number>(size).fill(empty), mask: size - 1 }
}
