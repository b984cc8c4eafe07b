/** Tests the headers and problems of rate-limit policies. */
import { expect, test } from '@jest/globals'
import {
  createLimitPolicy,
  limitHeaders,
  limitProblem
} from '../../../../gateway/ingest/limit-policy.ts'

const policy = createLimitPolicy({
  name: 'key',
  who: 'The API key',
  limit: { points: 10, windowSeconds: 60 }
})

test('the headers contain the policy, the remaining points and the time until the reset', () => {
  expect(limitHeaders(policy, { granted: 1, remaining: 4, resetMs: 1001 })).toEqual({
    'ratelimit-policy': '"key";q=10;w=60',
    ratelimit: '"key";r=4;t=2'
  })
})

test('the problem names the limit and when to retry', () => {
  const { code, options } = limitProblem(policy, { granted: 0, remaining: 0, resetMs: 30_000 })
  expect(code).toBe('rate_limited')
  expect(options).toMatchObject({
    detail: 'The API key may send 10 decisions per 60 s. Retry after the delay in `Retry-After`.',
    headers: { 'retry-after': '30', ratelimit: '"key";r=0;t=30' }
  })
})

test.each([0, 1, 999])('%i ms until the reset are rounded up to one second', (resetMs) => {
  const { options } = limitProblem(policy, { granted: 0, remaining: 0, resetMs })
  expect(options.headers?.['retry-after']).toBe('1')
})
