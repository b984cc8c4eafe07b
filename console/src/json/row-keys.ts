/** The keys of the rows, as in a tree: arrows, Page Up, Page Down, Home, End, Enter and Space. */
import type { KeyboardEvent } from 'react'
import { isOpening, startOf } from './display-lines.ts'
import { isFolded } from './fold.ts'
import type { TextIndex } from './index-text.ts'
import { parentOf } from './json-path.ts'
import type { Rows } from './use-rows.ts'

const pageRows = 20

export function handleRowKey(event: KeyboardEvent, index: TextIndex | null, rows: Rows): void {
  if (event.ctrlKey || event.metaKey || event.altKey || index === null) return
  if (!pressRowKey(event.key, index, rows)) return
  event.preventDefault()
  event.stopPropagation()
}

/** Returns false for a key that has no function. */
export function pressRowKey(key: string, index: TextIndex, rows: Rows): boolean {
  const { row, visible } = rows
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: row + 1,
    ArrowUp: row - 1,
    PageDown: row + pageRows,
    PageUp: row - pageRows,
    Home: 0,
    End: visible.length - 1
  }
  const target = targets[key]
  if (target !== undefined) rows.moveToRow(target)
  else if (key === 'Enter' || key === ' ') rows.toggle(rows.line)
  else if (key === 'ArrowLeft' || key === 'ArrowRight') moveSideways(key, index, rows)
  else return false
  return true
}

/** Left folds, or moves to the enclosing bracket. Right unfolds, or moves down. */
function moveSideways(key: string, { lines, isJson }: TextIndex, rows: Rows): void {
  if (!isJson) return
  const canToggle = isOpening(lines, rows.line)
  const isClosed = isFolded(lines, rows.folds, rows.line)
  if (canToggle && isClosed === (key === 'ArrowRight')) rows.toggle(rows.line)
  else if (key === 'ArrowRight') rows.moveToRow(rows.row + 1)
  else rows.moveTo(startOf(lines, parentOf(lines, rows.line)))
}
