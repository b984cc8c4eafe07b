/** limit rate: what is taken from whose window, and what the caller is told. */
import { expect, test } from '@jest/globals'
import { createLimitRate } from '../../../../gateway/ingest/limit-rate.ts'
import type { RateLimit, RateLimiter, RateLimitState } from '../../../../platform/rate-limiter.ts'
import { organizationId, principal } from './fakes.ts'

/** Answers every time the same and remembers what was taken. */
class FakeLimiter implements RateLimiter {
  readonly taken: { key: string; limit: RateLimit; points: number }[] = []
  state: RateLimitState = { isAllowed: true, remaining: 41, resetMs: 12_001 }

  consume(key: string, limit: RateLimit, points: number): Promise<RateLimitState> {
    this.taken.push({ key, limit, points })
    return Promise.resolve(this.state)
  }
}

const defaultLimit = { points: 100, windowSeconds: 60 }

function scene(state: Partial<RateLimitState> = {}) {
  const rateLimiter = new FakeLimiter()
  rateLimiter.state = { ...rateLimiter.state, ...state }
  return { rateLimiter, limitRate: createLimitRate({ rateLimiter, defaultLimit }) }
}

test("points are taken from the organization's window", async () => {
  const { rateLimiter, limitRate } = scene()
  await limitRate(principal, 3)
  expect(rateLimiter.taken).toEqual([
    { key: `organization:${organizationId}`, limit: defaultLimit, points: 3 }
  ])
})

test('an organization may have a limit of its own', async () => {
  const { rateLimiter, limitRate } = scene()
  const { headers } = await limitRate({ ...principal, rate_limit_points: 7 }, 1)
  expect(rateLimiter.taken[0]?.limit).toEqual({ points: 7, windowSeconds: 60 })
  expect(headers['ratelimit-policy']).toBe('"organization";q=7;w=60')
})

test('a limit of nothing is a limit', async () => {
  const { rateLimiter, limitRate } = scene()
  await limitRate({ ...principal, rate_limit_points: 0 }, 1)
  expect(rateLimiter.taken[0]?.limit.points).toBe(0)
})

test('who may go on is told what is left, in whole seconds rounded up', async () => {
  const { limitRate } = scene()
  expect(await limitRate(principal, 1)).toEqual({
    granted: 1,
    refusal: null,
    headers: {
      'ratelimit-policy': '"organization";q=100;w=60',
      ratelimit: '"organization";r=41;t=13'
    }
  })
})

test('who may not is told when to come back', async () => {
  const { limitRate } = scene({ isAllowed: false, remaining: 0, resetMs: 1500 })
  const problem = (await limitRate(principal, 1)).refusal
  expect(problem?.code).toBe('rate_limited')
  expect(problem?.options.detail).toBe('The organization may send 100 decisions in 60 s.')
  expect(problem?.options.headers).toEqual({
    'ratelimit-policy': '"organization";q=100;w=60',
    ratelimit: '"organization";r=0;t=2',
    'retry-after': '2'
  })
})

test.each([0, 1, 999])('%i ms until the window ends are told as one second', async (resetMs) => {
  const { limitRate } = scene({ isAllowed: false, resetMs })
  const problem = (await limitRate(principal, 1)).refusal
  expect(problem?.options.headers?.['retry-after']).toBe('1')
})
