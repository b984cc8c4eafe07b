/** Tests that backoff grows with each failure up to a cap, and that it has jitter. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { backoffMs } from '../../../core/backoff.ts'

const backoff = { baseMs: 100, capMs: 5000 }
const nearlyOne = 1 - Number.EPSILON

test.each([
  [1, 0, 0],
  [1, 0.5, 50],
  [1, nearlyOne, 99],
  [2, nearlyOne, 199],
  [3, 0.5, 200],
  [6, nearlyOne, 3199],
  [7, 0.5, 2500],
  [100, nearlyOne, 4999],
  [1_000_000, 0.5, 2500]
])('after %d failures with random %d it waits %d ms', (attempt, random, ms) => {
  expect(backoffMs(backoff, attempt, random)).toBe(ms)
})

test('is a whole number of milliseconds below the cap for any attempt', () => {
  const options = fc.record({
    baseMs: fc.integer({ min: 1, max: 60_000 }),
    capMs: fc.integer({ min: 1, max: 600_000 })
  })
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(options, fc.integer({ min: 1 }), chance, (given, attempt, random) => {
      const ms = backoffMs(given, attempt, random)
      return Number.isInteger(ms) && ms >= 0 && ms <= given.capMs
    })
  )
})
