/** Tests the rate limit: the points taken from the windows, and the quota of the caller. */
import { describe, expect, test } from '@jest/globals'
import type { KeyPrincipal } from '../../../../core/principal.ts'
import { Problem } from '../../../../core/problem.ts'
import type { ProblemCode } from '../../../../core/problem.ts'
import {
  createLimitRate,
  pointsOfRejection,
  rejectedBytesPerPoint
} from '../../../../gateway/ingest/limit-rate.ts'
import { FakeLimiter } from './fake-limiter.ts'
import { organizationId, principal } from './fakes.ts'

const defaultLimit = { points: 100, windowSeconds: 60 }
const ofOrganization = `organization:${organizationId}`
const ofKey = `key:${principal.key_id}`
const limitedKey: KeyPrincipal = { ...principal, key_rate_limit_points: 7 }

function scene() {
  const rateLimiter = new FakeLimiter()
  return { rateLimiter, ...createLimitRate({ rateLimiter, defaultLimit }) }
}

describe('the organization', () => {
  test('has the default limit or its own', async () => {
    const { rateLimiter, limitRate } = scene()
    await limitRate(principal, 3)
    expect(rateLimiter.limits).toEqual(new Map([[ofOrganization, defaultLimit]]))
    expect(rateLimiter.left).toEqual(new Map([[ofOrganization, 97]]))
    const { headers } = await limitRate({ ...principal, rate_limit_points: 9 }, 1)
    expect(rateLimiter.limits.get(ofOrganization)).toEqual({ points: 9, windowSeconds: 60 })
    expect(headers['ratelimit-policy']).toBe('"organization";q=9;w=60')
  })

  test('may have a limit of 0', async () => {
    const { limitRate } = scene()
    const quota = await limitRate({ ...principal, rate_limit_points: 0 }, 1)
    expect(quota).toMatchObject({ granted: 0, problem: { code: 'rate_limited' } })
  })

  test('returns at once what is left, in whole seconds rounded up', () => {
    const { limitRate } = scene()
    expect(limitRate(principal, 1)).toEqual({
      granted: 1,
      headers: {
        'ratelimit-policy': '"organization";q=100;w=60',
        ratelimit: '"organization";r=99;t=13'
      },
      problem: null
    })
  })

  test('returns Retry-After when the limit is reached', async () => {
    const { rateLimiter, limitRate } = scene()
    rateLimiter.left.set(ofOrganization, 0)
    const { granted, problem } = await limitRate(principal, 1)
    expect(granted).toBe(0)
    expect(problem?.code).toBe('rate_limited')
    expect(problem?.options.detail).toBe(
      'The organization may send 100 decisions per 60 s. Retry after the delay in `Retry-After`.'
    )
    expect(problem?.options.headers).toEqual({
      'ratelimit-policy': '"organization";q=100;w=60',
      ratelimit: '"organization";r=0;t=13',
      'retry-after': '13'
    })
  })

  test('grants the part of a batch that fits and returns a problem for the rest', async () => {
    const { rateLimiter, limitRate } = scene()
    rateLimiter.slow.add(ofOrganization)
    const quota = await limitRate(principal, 130)
    expect(quota).toMatchObject({ granted: 100, problem: { code: 'rate_limited' } })
  })
})

describe('a key with its own limit', () => {
  test.each([
    ['at once', []],
    ['later', [ofOrganization, ofKey]]
  ])('takes from both windows, %s, and returns the tighter one', async (_when, slow) => {
    const { rateLimiter, limitRate } = scene()
    slow.forEach((key) => rateLimiter.slow.add(key))
    const { granted, headers, problem } = await limitRate(limitedKey, 2)
    expect({ granted, problem }).toEqual({ granted: 2, problem: null })
    expect([...rateLimiter.left]).toEqual([
      [ofOrganization, 98],
      [ofKey, 5]
    ])
    expect(headers).toEqual({
      'ratelimit-policy': '"key";q=7;w=60',
      ratelimit: '"key";r=5;t=13'
    })
  })

  test("returns the organization's quota while that has less left", async () => {
    const { rateLimiter, limitRate } = scene()
    rateLimiter.left.set(ofOrganization, 4)
    const { headers } = await limitRate(limitedKey, 1)
    expect(headers['ratelimit']).toBe('"organization";r=3;t=13')
  })

  test.each([
    ['at once', []],
    ['later', [ofKey]]
  ])("returns the key's 429 %s, and the organization gets its points back", async (_when, slow) => {
    const { rateLimiter, limitRate } = scene()
    slow.forEach((key) => rateLimiter.slow.add(key))
    const { granted, problem } = await limitRate(limitedKey, 10)
    expect(granted).toBe(7)
    expect(problem?.options.detail).toBe(
      'The API key may send 7 decisions per 60 s. Retry after the delay in `Retry-After`.'
    )
    expect(problem?.options.headers).toMatchObject({ ratelimit: '"key";r=0;t=13' })
    expect(rateLimiter.left.get(ofOrganization)).toBe(93)
    expect(await limitRate(limitedKey, 1)).toMatchObject({ granted: 0 })
    expect(rateLimiter.left.get(ofOrganization)).toBe(93)
  })

  test('gives no points back into a window that has begun since', async () => {
    const { rateLimiter, limitRate } = scene()
    rateLimiter.slow.add(ofKey)
    rateLimiter.resetMs.set(ofOrganization, 20)
    rateLimiter.meanwhile = () => {
      rateLimiter.resetMs.set(ofOrganization, 59_990)
      rateLimiter.left.set(ofOrganization, 100)
    }
    await limitRate(limitedKey, 10)
    expect(rateLimiter.left.get(ofOrganization)).toBe(100)
  })

  test('takes no points of the key when the organization has none left', async () => {
    const { rateLimiter, limitRate } = scene()
    rateLimiter.left.set(ofOrganization, 0)
    const { problem } = await limitRate(limitedKey, 1)
    expect(problem?.options.detail).toContain('The organization')
    expect(rateLimiter.left.has(ofKey)).toBe(false)
  })
})

describe('a window that is known to be spent', () => {
  test.each([
    ['the organization', principal, ofOrganization, '"organization";r=0;t=13'],
    ['the key', limitedKey, ofKey, '"key";r=0;t=13']
  ])(
    'is rejected with the same problem, and takes no points: %s',
    async (_who, who, window, ratelimit) => {
      const { rateLimiter, limitRate, findSpent } = scene()
      rateLimiter.left.set(window, 0)
      const spent = findSpent(who)
      expect(spent?.headers['ratelimit']).toBe(ratelimit)
      const { problem } = await limitRate(who, 1)
      expect(spent?.problem.options).toEqual(problem?.options)
      rateLimiter.left.delete(ofOrganization)
      findSpent(who)
      expect(rateLimiter.left.get(ofOrganization) ?? defaultLimit.points).toBe(100)
    }
  )

  test('findSpent returns null for others', () => {
    const { findSpent } = scene()
    expect([findSpent(principal), findSpent(limitedKey)]).toEqual([null, null])
  })
})

describe('the cost of a rejection', () => {
  test.each<[ProblemCode, number, number]>([
    ['invalid_decision', 0, 1],
    ['invalid_decision', rejectedBytesPerPoint, 1],
    ['invalid_decision', rejectedBytesPerPoint + 1, 2],
    ['payload_too_large', 10 * 1024 * 1024, 160],
    ['malformed_json', 10 * 1024 * 1024, 160],
    ['rate_limited', 10 * 1024 * 1024, 1],
    ['overloaded', 10 * 1024 * 1024, 1]
  ])('%s of %d bytes: %d', (code, bytes, points) => {
    expect(pointsOfRejection(new Problem(code, { detail: 'No.' }), bytes)).toBe(points)
  })
})
