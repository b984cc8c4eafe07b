/** Finds the display lines of a text without blocking the page. */
import { useEffect, useState } from 'react'
import { indexText } from './index-text.ts'
import type { TextIndex } from './index-text.ts'
import { runInSlices } from './run-in-slices.ts'

/**
 * Returns the last finished index: null at first, and the old one while a new one is made.
 * @param columns width of a line, or null if it is not known yet
 */
export function useTextIndex(text: string, columns: number | null, isRaw: boolean) {
  const [index, setIndex] = useState<TextIndex | null>(null)
  useEffect(() => {
    if (columns === null) return
    const stop = new AbortController()
    void runInSlices(indexText(text, columns, isRaw), stop.signal).then((found) => {
      if (found !== null) setIndex(found)
    })
    return () => stop.abort()
  }, [text, isRaw, columns])
  return index
}
