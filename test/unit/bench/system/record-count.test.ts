/** Tests that lost decisions are detected by comparing the number of accepted decisions with the
 * number of records.
 */
import { expect, test } from '@jest/globals'
import { isComplete, sentenceOf } from '../../../../bench/system/record-count.ts'

test('is complete if there is a record for each accepted decision', () => {
  const count = { accepted: 5, refused: 0, records: 5 }
  expect(isComplete(count)).toBe(true)
  expect(sentenceOf(count)).toMatch(/nothing is lost\.$/)
})

test('is complete if decisions that were not accepted also have records', () => {
  const count = { accepted: 5, refused: 2, records: 6 }
  expect(isComplete(count)).toBe(true)
  expect(sentenceOf(count)).toMatch(/1 more \(2 were not accepted\)\.$/)
})

test('is incomplete if there are fewer records', () => {
  const count = { accepted: 5, refused: 2, records: 3 }
  expect(isComplete(count)).toBe(false)
  expect(sentenceOf(count)).toMatch(/2 are LOST\.$/)
})
