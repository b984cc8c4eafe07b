/** The value in the middle. */
import { expect, test } from '@jest/globals'
import { median } from '../../../../bench/report/median.ts'

test('does not mind the order', () => {
  expect(median([9, 1, 5])).toBe(5)
})

test('of nothing there is no figure', () => {
  expect(median([])).toBeNaN()
})
