/** Finds a phrase in the raw text, because the browser's own search misses rows not drawn. */
import { useState } from 'react'
import { lastAtMost } from './display-lines.ts'
import type { Rows } from './use-rows.ts'

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
 * Finds up to `matchesMax` matches, ignoring case. Each match is as long as the phrase, because
 * with the flag `u`, a code point matches only a single code point.
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

/** Keeps the searched phrase, its matches and the current one. */
export function useFind(text: string, { cursor, moveTo }: Rows) {
  const [phrase, setPhrase] = useState('')
  const [found, setFound] = useState(nothingFound)
  function show(next: Found, wanted: number): void {
    const count = next.starts.length
    const current = count === 0 ? 0 : (wanted + count) % count
    setFound({ ...next, current })
    const offset = next.starts[current]
    if (offset !== undefined) moveTo(offset)
  }
  return {
    phrase,
    found,
    search: (next: string): void => {
      const matches = findMatches(text, next)
      setPhrase(next)
      show(matches, firstMatchAfter(matches, cursor.offset))
    },
    /** Moves to a later or an earlier match. Wraps around at both ends of the text. */
    step: (by: number): void => show(found, found.current + by)
  }
}
