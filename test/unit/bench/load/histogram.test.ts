/** Latencies in buckets. */
import { expect, test } from '@jest/globals'
import { createHistogram } from '../../../../bench/load/histogram.ts'

function filled(values: readonly number[]) {
  const histogram = createHistogram()
  for (const value of values) histogram.record(value)
  return histogram
}

test.each([0, 0.001, 0.127, 0.128, 0.129, 0.255, 0.256, 1, 17.61, 999.9, 60_000])(
  'gives %d ms back within 1%%',
  (ms) => {
    const found = filled([ms]).percentileMs(0.5)
    expect(Math.abs(found - ms)).toBeLessThanOrEqual(ms * 0.01)
  }
)

test('a percentile has its share of the values at or below it', () => {
  const histogram = filled(Array.from({ length: 100 }, (_, index) => index + 1))
  const found = [0.5, 0.99, 1].map((share) => Math.round(histogram.percentileMs(share)))
  expect(found).toEqual([50, 99, 100])
})

test('is made anew from its counts', () => {
  const histogram = filled([1, 2, 300])
  const copy = createHistogram(JSON.parse(JSON.stringify(histogram.counts)) as number[])
  expect(copy.percentileMs(1)).toBe(histogram.percentileMs(1))
})

test('what is out of range counts at its end', () => {
  expect(filled([-1]).percentileMs(1)).toBe(0)
  expect(filled([1e12]).percentileMs(1)).toBeGreaterThan(2e6)
})

test('of nothing there is no figure', () => {
  expect(createHistogram().percentileMs(0.5)).toBeNaN()
})
