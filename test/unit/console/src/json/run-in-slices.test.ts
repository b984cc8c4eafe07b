/** Tests that work in slices returns its result, lets other work run, and stops when aborted. */
import { expect, test } from '@jest/globals'
import { runInSlices } from '../../../../../console/src/json/run-in-slices.ts'
import type { Steps } from '../../../../../core/json/steps.ts'

function* steps(seen: { count: number }, max: number): Steps<string> {
  while (seen.count < max) {
    seen.count += 1
    yield
  }
  return 'done'
}

test('returns the result of finished work', async () => {
  const seen = { count: 0 }
  expect(await runInSlices(steps(seen, 10), new AbortController().signal)).toBe('done')
  expect(seen.count).toBe(10)
})

test('does not begin after an abort', async () => {
  const seen = { count: 0 }
  expect(await runInSlices(steps(seen, 10), AbortSignal.abort())).toBeNull()
  expect(seen.count).toBe(0)
})

test('stops endless work when the signal is aborted', async () => {
  const seen = { count: 0 }
  const stop = new AbortController()
  const result = runInSlices(steps(seen, Number.POSITIVE_INFINITY), stop.signal)
  setImmediate(() => stop.abort())
  expect(await result).toBeNull()
  expect(seen.count).toBeGreaterThan(0)
})
