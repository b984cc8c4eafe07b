/** Folds objects and arrays. A fold is identified by the offset of its opening bracket, which,
 * unlike a JSON pointer, also distinguishes members with the same name.
 */
import { isOpening, lastAtMost, lineAt, pairOf, startOf } from './display-lines.ts'
import type { DisplayLines } from './display-lines.ts'

export type Folds = ReadonlySet<number>

/** Returns the offset that identifies the fold of a line for which `isOpening` is true. */
export function foldOf(lines: DisplayLines, line: number): number {
  return startOf(lines, line + 1) - 1
}

export function isFolded(lines: DisplayLines, folds: Folds, line: number): boolean {
  return folds.size > 0 && isOpening(lines, line) && folds.has(foldOf(lines, line))
}

/** Returns the lines that are not within a fold. A folded bracket keeps its first line. */
export function visibleLines(lines: DisplayLines, folds: Folds): Uint32Array {
  const visible = new Uint32Array(lines.count)
  let rows = 0
  for (let line = 0; line < lines.count; rows++) {
    visible[rows] = line
    line = 1 + (isFolded(lines, folds, line) ? pairOf(lines, line) : line)
  }
  return visible.subarray(0, rows)
}

/** Returns the row that shows the line, or the row of the fold that hides it. */
export function rowOf(visible: Uint32Array, line: number): number {
  return lastAtMost(visible, visible.length, line)
}

export function toggleFold(folds: Folds, fold: number): Folds {
  const next = new Set(folds)
  if (!next.delete(fold)) next.add(fold)
  return next
}

/** Opens the folds that hide the line. */
export function revealLine(lines: DisplayLines, folds: Folds, line: number): Folds {
  const others = [...folds].filter((fold) => {
    const opening = lineAt(lines, fold)
    return opening >= line || pairOf(lines, opening) < line
  })
  return others.length === folds.size ? folds : new Set(others)
}

/** Folds each object and array that is directly within the outermost one. */
export function foldAll(lines: DisplayLines): Folds {
  const folds = new Set<number>()
  for (let line = 0; line < lines.count; line++) {
    if (lines.depths[line] === 1 && isOpening(lines, line)) folds.add(foldOf(lines, line))
  }
  return folds
}
