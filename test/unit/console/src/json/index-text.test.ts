/** Tests that the display lines together contain exactly the characters of the text. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { lineStart, linesMax, startOf } from '../../../../../console/src/json/display-lines.ts'
import type { DisplayLines } from '../../../../../console/src/json/display-lines.ts'
import { runSteps } from '../../../../../core/json/steps.ts'
import { indexRaw, indexText } from '../../../../../console/src/json/index-text.ts'
import { mutatedText, valueText } from '../../../core/json/json-texts.ts'
import { hostileText } from './hostile-text.ts'

function slicesOf(lines: DisplayLines): string[] {
  return Array.from({ length: lines.count }, (_, line) =>
    lines.text.slice(startOf(lines, line), startOf(lines, line + 1))
  )
}

function readText(text: string, columns = 400) {
  return runSteps(indexText(text, columns))
}

function layOut(text: string, columns?: number): DisplayLines {
  return readText(text, columns).lines
}

test('puts each member, item and bracket on its own line', () => {
  const lines = layOut('{"a" : [1,{ }, [ ]],"b":"x, {y}"}\n')
  expect(slicesOf(lines)).toEqual([
    ...['{', '"a" : [', '1,', '{ },', ' [ ]', '],', '"b":"x, {y}"', '}\n']
  ])
  expect([...lines.depths.subarray(0, lines.count)]).toEqual([0, 1, 2, 2, 2, 1, 1, 0])
  expect([...lines.pairs.subarray(0, lines.count)]).toEqual([7, 5, 2, 3, 4, 1, 6, 0])
})

test('keeps a hostile payload unchanged in both views and at each width', () => {
  expect(readText(hostileText).isJson).toBe(true)
  for (const columns of [20, 21, 64, 400]) {
    expect(slicesOf(layOut(hostileText, columns)).join('')).toBe(hostileText)
    expect(slicesOf(runSteps(indexRaw(hostileText, columns))).join('')).toBe(hostileText)
  }
})

test('keeps every valid and invalid text unchanged', () => {
  const columns = fc.integer({ min: 20, max: 60 })
  fc.assert(
    fc.property(
      fc.oneof(valueText, mutatedText, fc.string({ unit: 'binary' })),
      columns,
      (...of) => {
        const lines = layOut(...of)
        expect(slicesOf(lines).join('')).toBe(lines.text)
        expect(slicesOf(runSteps(indexRaw(...of))).join('')).toBe(lines.text)
      }
    ),
    { seed: 20_261_127, numRuns: 1000 }
  )
})

test('cuts a long string between its characters and escapes', () => {
  const text = `["${'\\ud83d\\n😀x'.repeat(500)}"]`
  const lines = layOut(text, 40)
  const slices = slicesOf(lines)
  expect(slices.length).toBeGreaterThan(100)
  expect(Math.max(...slices.map(({ length }) => length))).toBeLessThanOrEqual(40)
  for (const slice of slices.slice(2, -2)) {
    expect(slice).toMatch(/^(\\ud83d|\\n|😀|x)+$/)
  }
  expect([...new Set(lines.kinds.subarray(2, lines.count - 1))]).toEqual([lineStart.string])
})

test('cuts a long name and a long number', () => {
  const text = `{"${'n'.repeat(100)}":${'9'.repeat(100)}}`
  const lines = layOut(text, 40)
  const { whole, name, scalar } = lineStart
  const kinds = [whole, whole, name, name, scalar, scalar, scalar, whole]
  expect([...lines.kinds.subarray(0, lines.count)]).toEqual(kinds)
})

test('shows text that is not JSON as lines of at most 400 characters', () => {
  const text = `Sorry,\r\nI cannot ${'x'.repeat(399)}😀\n`
  expect(readText(text).isJson).toBe(false)
  expect(slicesOf(layOut(text)).map(({ length }) => length)).toEqual([8, 400, 11, 0])
  expect(slicesOf(layOut(''))).toEqual([''])
})

test.each([
  ['with 64 levels', `${'['.repeat(64)}1${']'.repeat(64)}`, true],
  ['with 251 levels', `${'['.repeat(251)}${']'.repeat(251)}`, false],
  ['that is not finished', '{"a":[1,', false],
  ['that is one number', ' -0 ', true]
])('decides whether a text %s is shown as JSON', (_name, text, isShown) => {
  expect(readText(text).isJson).toBe(isShown)
})

test('limits the lines of JSON and of text', () => {
  const text = `[${'1,'.repeat(linesMax)}1]`
  expect(readText(text).isJson).toBe(false)
  const lines = runSteps(indexRaw('\n'.repeat(4 * 1024 * 1024), 400))
  expect(lines.count).toBeLessThanOrEqual(linesMax)
  expect(startOf(lines, lines.count)).toBe(lines.text.length)
})
