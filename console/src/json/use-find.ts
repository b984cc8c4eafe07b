/** Keeps the searched phrase, its matches and the current one. */
import { useState } from 'react'
import { findMatches, firstMatchAfter, nothingFound } from './find.ts'
import type { Found } from './find.ts'
import type { Rows } from './use-rows.ts'

export interface Find {
  readonly phrase: string
  readonly found: Found
  readonly search: (phrase: string) => void
  /** Moves to a later or an earlier match, around the ends of the text. */
  readonly step: (by: number) => void
}

export function useFind(text: string, { cursor, moveTo }: Rows): Find {
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
    search: (next) => {
      const matches = findMatches(text, next)
      setPhrase(next)
      show(matches, firstMatchAfter(matches, cursor.offset))
    },
    step: (by) => show(found, found.current + by)
  }
}
