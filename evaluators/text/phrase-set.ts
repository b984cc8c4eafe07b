/** A set of phrases, built for one comparison and thrown away; far cheaper than a `Set`. */

/** Open addressing: a phrase stands at its place or, where that is taken, at one of the next. */
export interface PhraseSet {
  readonly places: number[]
  /** All ones in binary: as many places as it says, and one, are in use. */
  readonly mask: number
}

/**
 * Places that are tried for a phrase. A text may be made so that all its phrases want one place;
 * past this one it is treated as new, so that the work stays linear.
 */
const probesMax = 16
/** An empty place; a phrase of this value takes the value 1. */
const empty = 0

export function phraseSetOf(phrases: readonly number[]): PhraseSet {
  const set = emptySetFor(phrases)
  for (let at = 0; at < phrases.length; at++) put(set, phrases[at] ?? empty)
  return set
}

/** How many of the phrases are different ones. */
export function distinctOf(phrases: readonly number[]): number {
  const set = emptySetFor(phrases)
  let distinct = 0
  for (let at = 0; at < phrases.length; at++) {
    if (put(set, phrases[at] ?? empty)) distinct++
  }
  return distinct
}

/** Which part of the phrases stands in the set, from 0 to 1. */
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

/** Whether it was not there yet. */
function put(set: PhraseSet, phrase: number): boolean {
  const value = phrase === empty ? 1 : phrase
  const at = placeOf(set, value)
  if (at < 0) return true
  if (set.places[at] === value) return false
  set.places[at] = value
  return true
}

/** The place that holds the value or that is free for it; negative when none is near. */
function placeOf({ places, mask }: PhraseSet, value: number): number {
  const start = value ^ (value >>> 15)
  for (let probe = 0; probe < probesMax; probe++) {
    const at = (start + probe) & mask
    if (places[at] === empty || places[at] === value) return at
  }
  return -1
}

/** At most half full, and a power of two long, so that a mask finds the place. */
function emptySetFor(phrases: readonly number[]): PhraseSet {
  const size = 1 << (32 - Math.clz32(Math.max(15, phrases.length * 2 - 1)))
  return { places: new Array<number>(size).fill(empty), mask: size - 1 }
}
