/** Finds a phrase in the raw text. Rows that are not drawn are invisible to the browser's find. */
import { lastAtMost } from './display-lines.ts'

export interface Found {
  /** Start of each match. */
  readonly starts: Uint32Array
  /** Number of characters of each match. */
  readonly length: number
  /** Index of the match that the user looks at. */
  readonly current: number
  /** Whether the text may contain more matches than were counted. */
  readonly isMore: boolean
}

const matchesMax = 100_000
const special = /[\\^$.*+?()[\]{}|/]/g

export const nothingFound: Found = {
  starts: new Uint32Array(0),
  length: 0,
  current: 0,
  isMore: false
}

/**
 * Finds all matches, in any case. A character and its other case have the same length, because
 * the flag `u` compares single code points.
 */
export function findMatches(text: string, phrase: string): Found {
  if (phrase === '') return nothingFound
  const pattern = new RegExp(phrase.replace(special, String.raw`\$&`), 'giu')
  const starts: number[] = []
  while (starts.length < matchesMax && pattern.test(text)) {
    starts.push(pattern.lastIndex - phrase.length)
  }
  const isMore = starts.length === matchesMax
  return { starts: Uint32Array.from(starts), length: phrase.length, current: 0, isMore }
}

/** Returns the index of the first match that ends after `offset`. */
export function firstMatchAfter({ starts, length }: Found, offset: number): number {
  const index = lastAtMost(starts, starts.length, offset - length)
  return (starts[index] ?? Infinity) + length > offset ? index : index + 1
}
