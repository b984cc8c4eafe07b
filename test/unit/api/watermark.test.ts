/** Tests that the watermark shows whether a missing decision can still be stored. */
import { expect, test } from '@jest/globals'
import { decisionNotFound, lagOf } from '../../../api/watermark.ts'
import { now } from './samples.ts'

const clock = { now: () => now }

const at = (ms: number) => ({ as_of: new Date(now + ms) })

test.each([
  [at(-1), true],
  [at(0), false],
  [at(1), false],
  [{ as_of: null }, true]
])('with the watermark at %j a retry may help: %s', (watermark, retryable) => {
  const problem = decisionNotFound(watermark, now, clock)
  expect(problem.code).toBe('decision_not_found')
  expect(problem.options.members?.['retryable']).toBe(retryable)
  expect(problem.options.headers).toEqual(retryable ? { 'retry-after': '1' } : undefined)
})

test('reports the lag since the watermark, never negative', () => {
  const as_of = '2026-01-31T11:59:58.500Z'
  expect(lagOf(at(-1500), clock)).toEqual({ as_of, lag_ms: 1500 })
  expect(lagOf(at(3000), clock).lag_ms).toBe(0)
  expect(lagOf({ as_of: null }, clock)).toEqual({ as_of: null, lag_ms: null })
})
