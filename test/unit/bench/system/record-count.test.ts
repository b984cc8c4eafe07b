/** Whether the topic holds what was accepted. */
import { expect, test } from '@jest/globals'
import { isComplete, sentenceOf } from '../../../../bench/system/record-count.ts'

test('as many records as acceptances is complete', () => {
  const count = { accepted: 5, refused: 0, records: 5 }
  expect(isComplete(count)).toBe(true)
  expect(sentenceOf(count)).toMatch(/nothing is lost\.$/)
})

test('a refused decision may have been written', () => {
  const count = { accepted: 5, refused: 2, records: 6 }
  expect(isComplete(count)).toBe(true)
  expect(sentenceOf(count)).toMatch(/1 more \(2 were not accepted\)\.$/)
})

test('fewer records than acceptances is a loss', () => {
  const count = { accepted: 5, refused: 2, records: 3 }
  expect(isComplete(count)).toBe(false)
  expect(sentenceOf(count)).toMatch(/2 are LOST\.$/)
})
