/** limit rate: what is taken from whose window, and what the caller is told. */
import { describe, expect, test } from '@jest/globals'
import type { KeyPrincipal } from '../../../../core/principal.ts'
import { Problem } from '../../../../core/problem.ts'
import type { ProblemCode } from '../../../../core/problem.ts'
import {
  createLimitRate,
  pointsOfRefusal,
  refusedBytesPerPoint
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
  test('has the default limit, or one of its own', async () => {
    const { rateLimiter, limitRate } = scene()
    await limitRate(principal, 3)
    expect(rateLimiter.limits).toEqual(new Map([[ofOrganization, defaultLimit]]))
    expect(rateLimiter.left).toEqual(new Map([[ofOrganization, 97]]))
    const { headers } = await limitRate({ ...principal, rate_limit_points: 9 }, 1)
    expect(rateLimiter.limits.get(ofOrganization)).toEqual({ points: 9, windowSeconds: 60 })
    expect(headers['ratelimit-policy']).toBe('"organization";q=9;w=60')
  })

  test('may have a limit of nothing', async () => {
    const { limitRate } = scene()
    const quota = await limitRate({ ...principal, rate_limit_points: 0 }, 1)
    expect(quota).toMatchObject({ granted: 0, refusal: { code: 'rate_limited' } })
  })

  test('is told at once what is left, in whole seconds rounded up', () => {
    const { limitRate } = scene()
    expect(limitRate(principal, 1)).toEqual({
      granted: 1,
      headers: {
        'ratelimit-policy': '"organization";q=100;w=60',
        ratelimit: '"organization";r=99;t=13'
      },
      refusal: null
    })
  })

  test('over its limit is told when to come back', async () => {
    const { rateLimiter, limitRate } = scene()
    rateLimiter.left.set(ofOrganization, 0)
    const { granted, refusal } = await limitRate(principal, 1)
    expect(granted).toBe(0)
    expect(refusal?.code).toBe('rate_limited')
    expect(refusal?.options.detail).toBe('The organization may send 100 decisions in 60 s.')
    expect(refusal?.options.headers).toEqual({
      'ratelimit-policy': '"organization";q=100;w=60',
      ratelimit: '"organization";r=0;t=13',
      'retry-after': '13'
    })
  })

  test('gets what fits of a batch, and a refusal for the rest', async () => {
    const { rateLimiter, limitRate } = scene()
    rateLimiter.slow.add(ofOrganization)
    const quota = await limitRate(principal, 130)
    expect(quota).toMatchObject({ granted: 100, refusal: { code: 'rate_limited' } })
  })
})

describe('a key with a limit of its own', () => {
  test.each([
    ['at once', []],
    ['later', [ofOrganization, ofKey]]
  ])('takes from both windows, %s, and the tighter one is shown', async (_when, slow) => {
    const { rateLimiter, limitRate } = scene()
    slow.forEach((key) => rateLimiter.slow.add(key))
    const { granted, headers, refusal } = await limitRate(limitedKey, 2)
    expect({ granted, refusal }).toEqual({ granted: 2, refusal: null })
    expect([...rateLimiter.left]).toEqual([
      [ofOrganization, 98],
      [ofKey, 5]
    ])
    expect(headers).toEqual({
      'ratelimit-policy': '"key";q=7;w=60',
      ratelimit: '"key";r=5;t=13'
    })
  })

  test('is shown the organization while that has less', async () => {
    const { rateLimiter, limitRate } = scene()
    rateLimiter.left.set(ofOrganization, 4)
    const { headers } = await limitRate(limitedKey, 1)
    expect(headers['ratelimit']).toBe('"organization";r=3;t=13')
  })

  test.each([
    ['at once', []],
    ['later', [ofKey]]
  ])('over it is told so %s, and the organization loses nothing', async (_when, slow) => {
    const { rateLimiter, limitRate } = scene()
    slow.forEach((key) => rateLimiter.slow.add(key))
    const { granted, refusal } = await limitRate(limitedKey, 10)
    expect(granted).toBe(7)
    expect(refusal?.options.detail).toBe('The API key may send 7 decisions in 60 s.')
    expect(refusal?.options.headers).toMatchObject({ ratelimit: '"key";r=0;t=13' })
    expect(rateLimiter.left.get(ofOrganization)).toBe(93)
    expect(await limitRate(limitedKey, 1)).toMatchObject({ granted: 0 })
    expect(rateLimiter.left.get(ofOrganization)).toBe(93)
  })

  test('gives nothing back into a window that began meanwhile', async () => {
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

  test('takes nothing from its own window when the organization has nothing', async () => {
    const { rateLimiter, limitRate } = scene()
    rateLimiter.left.set(ofOrganization, 0)
    const { refusal } = await limitRate(limitedKey, 1)
    expect(refusal?.options.detail).toContain('The organization')
    expect(rateLimiter.left.has(ofKey)).toBe(false)
  })
})

describe('who is known to have nothing left', () => {
  test.each([
    ['the organization', principal, ofOrganization, '"organization";r=0;t=13'],
    ['the key', limitedKey, ofKey, '"key";r=0;t=13']
  ])('is refused as always, and nothing is taken: %s', async (_who, who, window, ratelimit) => {
    const { rateLimiter, limitRate, findSpent } = scene()
    rateLimiter.left.set(window, 0)
    const spent = findSpent(who)
    expect(spent?.headers['ratelimit']).toBe(ratelimit)
    const { refusal } = await limitRate(who, 1)
    expect(spent?.refusal.options).toEqual(refusal?.options)
    rateLimiter.left.delete(ofOrganization)
    findSpent(who)
    expect(rateLimiter.left.get(ofOrganization) ?? defaultLimit.points).toBe(100)
  })

  test('others are not', () => {
    const { findSpent } = scene()
    expect([findSpent(principal), findSpent(limitedKey)]).toEqual([null, null])
  })
})

describe('what a refusal costs', () => {
  test.each<[ProblemCode, number, number]>([
    ['invalid_decision', 0, 1],
    ['invalid_decision', refusedBytesPerPoint, 1],
    ['invalid_decision', refusedBytesPerPoint + 1, 2],
    ['payload_too_large', 10 * 1024 * 1024, 160],
    ['malformed_json', 10 * 1024 * 1024, 160],
    ['rate_limited', 10 * 1024 * 1024, 1],
    ['overloaded', 10 * 1024 * 1024, 1]
  ])('%s of %d bytes: %d', (code, bytes, points) => {
    expect(pointsOfRefusal(new Problem(code, { detail: 'No.' }), bytes)).toBe(points)
  })
})
