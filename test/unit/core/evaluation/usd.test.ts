/** Tests the conversion between US dollars and billionths of a dollar. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { addUsd, nanoUsdOf, usdMax, usdOf } from '../../../../core/evaluation/usd.ts'

test('converts amounts to billionths and back without loss', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: usdMax * 1e9 }), (nano) => {
      expect(nanoUsdOf(usdOf(nano))).toBe(nano)
    })
  )
  expect([0, 0.1, 12.000000001, usdMax].map((usd) => usdOf(nanoUsdOf(usd)))).toEqual([
    ...[0, 0.1, 12.000000001, usdMax]
  ])
})

test('a sum has no more digits than its parts, and half a billionth is dropped', () => {
  expect(0.1 + 0.2).not.toBe(0.3)
  expect(addUsd(0.1, 0.2)).toBe(0.3)
  expect(usdOf(2_597_000.4)).toBe(0.002597)
})
