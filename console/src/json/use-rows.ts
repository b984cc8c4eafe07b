/** Keeps the folds and the selected position of a text. Both are offsets, so they stay valid when
 * the width of the lines or the view changes.
 */
import { useMemo, useState } from 'react'
import { createLines, lineAt, pairOf, startOf } from './display-lines.ts'
import { foldOf, revealLine, rowOf, toggleFold, visibleLines } from './fold.ts'
import type { Folds } from './fold.ts'
import type { TextIndex } from './index-text.ts'

const noLines = createLines('', 0)
const noFolds: Folds = new Set()

export type Rows = ReturnType<typeof useRows>

export function useRows(index: TextIndex | null) {
  const lines = index?.lines ?? noLines
  const [folds, setFolds] = useState(noFolds)
  // Each move creates a new object, so that the row scrolls into view even if it is the same row.
  const [cursor, setCursor] = useState({ offset: 0 })
  const visible = useMemo(() => visibleLines(lines, folds), [lines, folds])
  const row = rowOf(visible, lineAt(lines, cursor.offset))
  return {
    /** The line of each row. */
    visible,
    folds,
    setFolds,
    cursor,
    row,
    line: visible[row] ?? 0,
    /** Selects the position, and opens the folds that hide it. */
    moveTo: (offset: number): void => {
      setFolds(revealLine(lines, folds, lineAt(lines, offset)))
      setCursor({ offset })
    },
    /** Selects the row. Selects the first or last row if `next` is out of range. */
    moveToRow: (next: number): void => {
      const line = visible[Math.max(0, Math.min(next, visible.length - 1))] ?? 0
      setCursor({ offset: startOf(lines, line) })
    },
    /** Folds or unfolds the brackets that begin or end on the line. */
    toggle: (line: number): void => {
      const opening = Math.min(line, pairOf(lines, line))
      if (pairOf(lines, opening) === opening) return
      setFolds(toggleFold(folds, foldOf(lines, opening)))
      setCursor({ offset: startOf(lines, opening) })
    }
  }
}
