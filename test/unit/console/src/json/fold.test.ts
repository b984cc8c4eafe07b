/** Tests folding: which lines stay visible, and how a hidden line is shown again. */
import { expect, test } from '@jest/globals'
import {
  foldAll,
  foldOf,
  isFolded,
  revealLine,
  rowOf,
  toggleFold,
  visibleLines
} from '../../../../../console/src/json/fold.ts'
import type { Folds } from '../../../../../console/src/json/fold.ts'
import { runSteps } from '../../../../../core/json/steps.ts'
import { indexText } from '../../../../../console/src/json/index-text.ts'

const text = `{"a":[1,2,{"b":3}],"${'n'.repeat(60)}":{"c":4},"d":{}}`
const noFolds: Folds = new Set()

function linesAt(columns: number) {
  return runSteps(indexText(text, columns)).lines
}

const lines = linesAt(400)

test('shows every line without folds', () => {
  expect([...visibleLines(lines, noFolds)]).toEqual(Array.from({ length: 13 }, (_, line) => line))
})

test('hides the lines of a folded array, with its closing bracket', () => {
  const folds = toggleFold(noFolds, foldOf(lines, 1))
  expect([...visibleLines(lines, folds)]).toEqual([0, 1, 8, 9, 10, 11, 12])
  expect(isFolded(lines, folds, 1)).toBe(true)
  expect(rowOf(visibleLines(lines, folds), 5)).toBe(1)
  expect(rowOf(visibleLines(lines, folds), 9)).toBe(3)
  expect(toggleFold(folds, foldOf(lines, 1))).toEqual(noFolds)
})

test('keeps a fold when the width changes', () => {
  const folds = toggleFold(noFolds, foldOf(lines, 8))
  const narrow = linesAt(20)
  const folded = [...visibleLines(narrow, folds)].filter((line) => isFolded(narrow, folds, line))
  expect(folded.map((line) => foldOf(narrow, line))).toEqual([text.indexOf('{"c"')])
})

test('folds all members of the outermost bracket', () => {
  const folds = foldAll(lines)
  expect(folds.size).toBe(2)
  expect([...visibleLines(lines, folds)]).toEqual([0, 1, 8, 11, 12])
})

test('opens exactly the folds around a line', () => {
  const folds = new Set([foldOf(lines, 1), foldOf(lines, 4), foldOf(lines, 8)])
  expect(revealLine(lines, folds, 5)).toEqual(new Set([foldOf(lines, 8)]))
  expect(revealLine(lines, folds, 4)).toEqual(new Set([foldOf(lines, 4), foldOf(lines, 8)]))
  expect(revealLine(lines, folds, 12)).toBe(folds)
})
