/** Tests confidence intervals of proportions and means. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { meanInterval, wilsonInterval } from '../../../../core/evaluation/interval.ts'

test.each<[number, number, [number, number]]>([
  [0, 10, [0, 0.2775]],
  [10, 10, [0.7225, 1]],
  [15, 20, [0.5313, 0.8881]],
  [1500, 2000, [0.7306, 0.7685]]
])('%d of %d', (passed, n, [low, high]) => {
  const found = wilsonInterval(passed, n) ?? [Number.NaN, Number.NaN]
  expect(found[0]).toBeCloseTo(low, 4)
  expect(found[1]).toBeCloseTo(high, 4)
})

test('has no interval without values', () => {
  expect(wilsonInterval(0, 0)).toBeNull()
  expect(meanInterval({ mean: 1, deviation: null, n: 1 })).toBeNull()
})

test('contains the proportion and stays between 0 and 1', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e6 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (n, share) => {
        const passed = Math.floor(share * n)
        const [low, high] = wilsonInterval(passed, n) ?? [1, 0]
        expect(low).toBeGreaterThanOrEqual(0)
        expect(high).toBeLessThanOrEqual(1)
        expect(low).toBeLessThanOrEqual(passed / n + 1e-12)
        expect(high).toBeGreaterThanOrEqual(passed / n - 1e-12)
      }
    )
  )
})

test('gets narrower with more samples', () => {
  const [low, high] = meanInterval({ mean: 2, deviation: 1, n: 100 }) ?? [0, 0]
  expect(low).toBeCloseTo(1.804, 3)
  expect(high).toBeCloseTo(2.196, 3)
})

test('stays within the range of the values', () => {
  const sample = { mean: 0.9, deviation: 0.5, n: 4 }
  expect(meanInterval({ ...sample, min: 0, max: 1 })).toEqual([expect.closeTo(0.41, 3), 1])
  expect(meanInterval({ ...sample, min: 0.5, max: null })).toEqual([0.5, expect.closeTo(1.39, 3)])
})
