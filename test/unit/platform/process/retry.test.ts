/** Tests `retry`, which repeats failed work while its errors are transient. */
import { expect, test } from '@jest/globals'
import { retry } from '../../../../platform/process/retry.ts'
import type { RetryOptions } from '../../../../platform/process/retry.ts'

const never = 3_600_000

/** Retries work that fails this number of times, and records its attempts and its retries. */
function scene(failures: number, options: Partial<RetryOptions> = {}) {
  const attempts: number[] = []
  const retries: unknown[] = []
  const onRetry = (error: unknown, attempt: number) => {
    retries.push([(error as Error).message, attempt])
  }
  const result = retry({ backoff: 1, isTransient: () => true, onRetry, ...options }, (attempt) => {
    attempts.push(attempt)
    const isFailure = attempts.length <= failures
    return isFailure ? Promise.reject(new Error(`away ${attempt}`)) : Promise.resolve('done')
  })
  return { result, attempts, retries }
}

test('runs successful work once', async () => {
  const { result, attempts, retries } = scene(0)
  expect(await result).toBe('done')
  expect([attempts, retries]).toEqual([[1], []])
})

test('repeats failed work until it succeeds, and reports each retry', async () => {
  const { result, attempts, retries } = scene(2)
  expect(await result).toBe('done')
  expect(attempts).toEqual([1, 2, 3])
  expect(retries).toEqual([
    ['away 1', 1],
    ['away 2', 2]
  ])
})

test('throws an error that is not transient at once', async () => {
  const isTransient = (error: unknown) => (error as Error).message === 'away 1'
  const { result, retries } = scene(5, { isTransient })
  await expect(result).rejects.toThrow('away 2')
  expect(retries).toEqual([['away 1', 1]])
})

test('pauses by the backoff', async () => {
  const { result } = scene(3, { backoff: { baseMs: 1, capMs: 2 } })
  expect(await result).toBe('done')
})

test('throws the error of the last attempt', async () => {
  const { result, attempts } = scene(Infinity, { attemptsMax: 3 })
  await expect(result).rejects.toThrow('away 3')
  expect(attempts).toEqual([1, 2, 3])
})

test('ends the pause when aborted, and throws the next error', async () => {
  const stopping = new AbortController()
  const { result, attempts } = scene(Infinity, { backoff: never, signal: stopping.signal })
  const ended = expect(result).rejects.toThrow('away 2')
  await new Promise(setImmediate)
  stopping.abort()
  await ended
  expect(attempts).toEqual([1, 2])
})

test('does not retry work that was aborted while it ran', async () => {
  const { result, retries } = scene(Infinity, { signal: AbortSignal.abort() })
  await expect(result).rejects.toThrow('away 1')
  expect(retries).toEqual([])
})
