/** Keeps the folds and the selected position of a text. Both are offsets, so they stay valid when
 * the width of the lines or the view changes.
 */
import { useMemo, useState } from 'react'
import { lineAt, pairOf, startOf } from './display-lines.ts'
import { foldOf, revealLine, rowOf, toggleFold, visibleLines } from './fold.ts'
import type { Folds } from './fold.ts'
import type { TextIndex } from './index-text.ts'

export interface Rows {
  /** The line of each row. */
  readonly visible: Uint32Array
  readonly folds: Folds
  readonly setFolds: (folds: Folds) => void
  /** The selected position. Each move makes a new object, and the row scrolls into view. */
  readonly cursor: { readonly offset: number }
  readonly line: number
  readonly row: number
  /** Selects the position, and opens the folds that hide it. */
  readonly moveTo: (offset: number) => void
  /** Selects the row, or the first or last one if it does not exist. */
  readonly moveToRow: (row: number) => void
  /** Folds or unfolds the brackets that begin or end on the line. */
  readonly toggle: (line: number) => void
}

const noLines = new Uint32Array(0)
const noFolds: Folds = new Set()
const start = { offset: 0 }
const ignore = (): void => undefined

export function useRows(index: TextIndex | null): Rows {
  const lines = index?.lines
  const [folds, setFolds] = useState(noFolds)
  const [cursor, setCursor] = useState(start)
  const visible = useMemo(
    () => (lines === undefined ? noLines : visibleLines(lines, folds)),
    [lines, folds]
  )
  const row = lines === undefined ? 0 : rowOf(visible, lineAt(lines, cursor.offset))
  const state = { visible, folds, setFolds, cursor, row, line: visible[row] ?? 0 }
  if (lines === undefined) return { ...state, moveTo: ignore, moveToRow: ignore, toggle: ignore }
  return {
    ...state,
    moveTo: (offset) => {
      setFolds(revealLine(lines, folds, lineAt(lines, offset)))
      setCursor({ offset })
    },
    moveToRow: (next) => {
      const last = visible.length - 1
      setCursor({ offset: startOf(lines, visible[Math.max(0, Math.min(next, last))] ?? 0) })
    },
    toggle: (line) => {
      const opening = Math.min(line, pairOf(lines, line))
      if (pairOf(lines, opening) === opening) return
      setFolds(toggleFold(folds, foldOf(lines, opening)))
      setCursor({ offset: startOf(lines, opening) })
    }
  }
}
