/** Percentiles and medians. */
import { expect, test } from '@jest/globals'
import { median, percentile } from '../../../bench/statistics.ts'

test('a percentile is a value that was measured', () => {
  const sorted = Array.from({ length: 100 }, (_, index) => index + 1)
  expect([0, 0.5, 0.99, 1].map((share) => percentile(sorted, share))).toEqual([1, 51, 100, 100])
})

test('the median does not mind the order', () => {
  expect(median([9, 1, 5])).toBe(5)
})

test('of nothing there is no figure', () => {
  expect(median([])).toBeNaN()
})
