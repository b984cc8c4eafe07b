/** Finds the display lines of a text without blocking the page. */
import { useEffect, useState } from 'react'
import type { Steps } from '../../../core/json/steps.ts'
import { indexRaw, indexText } from './index-text.ts'
import type { TextIndex } from './index-text.ts'
import { runInSlices } from './run-in-slices.ts'

interface IndexedView {
  readonly text: string
  readonly isRaw: boolean
  /** Width of a line, or null if it is not known yet. */
  readonly columns: number | null
}

/** Returns the last finished index: null at first, and the old one while a new one is made. */
export function useTextIndex({ text, isRaw, columns }: IndexedView): TextIndex | null {
  const [index, setIndex] = useState<TextIndex | null>(null)
  useEffect(() => {
    if (columns === null) return
    const stop = new AbortController()
    const steps = isRaw ? rawSteps(text, columns) : indexText(text, columns)
    void runInSlices(steps, stop.signal).then((found) => {
      if (found !== null) setIndex(found)
    })
    return () => stop.abort()
  }, [text, isRaw, columns])
  return index
}

function* rawSteps(text: string, columns: number): Steps<TextIndex> {
  return { lines: yield* indexRaw(text, columns), isJson: false }
}
