/** Tests the keyboard navigation of rows: where each key moves, and what it folds or unfolds. */
import { expect, test } from '@jest/globals'
import { startOf } from '../../../../../console/src/json/display-lines.ts'
import { foldOf, visibleLines } from '../../../../../console/src/json/fold.ts'
import { indexText } from '../../../../../console/src/json/index-text.ts'
import { pressRowKey } from '../../../../../console/src/json/row-keys.ts'
import type { Rows } from '../../../../../console/src/json/use-rows.ts'
import { runSteps } from '../../../../../core/json/steps.ts'

const index = runSteps(indexText('{"a":[1,2],"b":3}', 400))
const { lines } = index

/** Presses a key on a line, and returns what it did. */
function press(key: string, line: number, foldedLines: number[] = []): string {
  const folds = new Set(foldedLines.map((each) => foldOf(lines, each)))
  const visible = visibleLines(lines, folds)
  let action = 'nothing'
  const rows: Rows = {
    visible,
    folds,
    line,
    cursor: { offset: startOf(lines, line) },
    row: visible.indexOf(line),
    setFolds: () => undefined,
    moveTo: (offset) => (action = `to offset ${offset}`),
    moveToRow: (row) => (action = `to row ${row}`),
    toggle: (toggled) => (action = `toggle ${toggled}`)
  }
  const isUsed = pressRowKey(key, index, rows)
  return isUsed ? action : 'unused'
}

test.each([
  ['ArrowDown', 1, 'to row 2'],
  ['ArrowUp', 1, 'to row 0'],
  ['Home', 3, 'to row 0'],
  ['End', 3, 'to row 6'],
  ['PageDown', 1, 'to row 21'],
  ['PageUp', 1, 'to row -19'],
  ['Enter', 1, 'toggle 1'],
  [' ', 4, 'toggle 4'],
  ['ArrowLeft', 1, 'toggle 1'],
  ['ArrowLeft', 3, 'to offset 1'],
  ['ArrowLeft', 5, 'to offset 0'],
  ['ArrowRight', 1, 'to row 2'],
  ['j', 1, 'unused'],
  ['Escape', 1, 'unused']
])('%s on line %d: %s', (key, line, action) => {
  expect(press(key, line)).toBe(action)
})

test('right unfolds a folded line, and left on it moves out', () => {
  expect(press('ArrowRight', 1, [1])).toBe('toggle 1')
  expect(press('ArrowLeft', 1, [1])).toBe('to offset 0')
  expect(press('End', 0, [1])).toBe('to row 3')
})
