/** Tests that the positions of the items in an array are found. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { scanItemsSteps } from '../../../../core/json/json-items.ts'
import { runSteps } from '../../../../core/json/steps.ts'

const scanItems = (text: string, start: number, itemsMax: number) =>
  runSteps(scanItemsSteps(text, start, itemsMax))

function itemsOf(text: string, itemsMax = 100): string[] | null {
  return scanItems(text, 0, itemsMax)?.items.map(({ start, end }) => text.slice(start, end)) ?? null
}

test.each([
  ['[]', []],
  ['[ ]', []],
  ['[1]', ['1']],
  ['[1 , "a,]" ,{"b":[2,3]}\n]', ['1', '"a,]"', '{"b":[2,3]}']],
  ['[[1],[2]]', ['[1]', '[2]']]
])('%j has its items', (text, items) => {
  expect(itemsOf(text)).toEqual(items)
})

test.each(['[', '[1', '[1,', '[1,]', '[,1]', '[1 2]', '[1}', '["a]', '[{"a":1]'])(
  '%j is not an array to its end',
  (text) => {
    expect(itemsOf(text)).toBeNull()
  }
)

test.each([
  ['[]x', 2],
  [' [1 , {"a":[]} ] ,', 16]
])('%j ends at its closing bracket', (text, end) => {
  expect(scanItems(text, text.indexOf('['), 100)?.end).toBe(end)
})

test('a scan that stops early does not report the end of the array', () => {
  expect(scanItems('[1,2,3]', 0, 2)?.end).toBeNull()
})

test('the scan stops after the maximum number of items', () => {
  expect(itemsOf('[1,2,3,4,', 3)).toEqual(['1', '2', '3'])
})

test('every array is split into the texts of its items', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (values) => {
      const texts = values.map((value) => JSON.stringify(value))
      expect(itemsOf(`[${texts.join(' , ')}]`)).toEqual(texts)
    })
  )
})
