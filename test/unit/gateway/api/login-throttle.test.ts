/** How often one may try: per account, per address, and never at the cost of somebody else. */
import { expect, test } from '@jest/globals'
import { createThrottleLogin, networkOf } from '../../../../gateway/api/login-throttle.ts'
import type { RateLimiter } from '../../../../platform/rate-limiter.ts'
import { problemOf } from './fakes.ts'

function createFakeLimiter() {
  const taken = new Map<string, number>()
  const limiter: RateLimiter = {
    take: async (key, { points }, count) => {
      const total = (taken.get(key) ?? 0) + count
      taken.set(key, total)
      return {
        granted: total <= points ? count : 0,
        remaining: Math.max(0, points - total),
        resetMs: 61_200
      }
    },
    look: (_key, { points }) => ({ granted: 0, remaining: points, resetMs: 900_000 }),
    giveBack: () => {}
  }
  return { limiter, taken }
}

async function timesAllowed(attempt: (time: number) => Promise<void>): Promise<number> {
  for (let time = 0; time < 1000; time++) {
    try {
      await attempt(time)
    } catch {
      return time
    }
  }
  return Number.POSITIVE_INFINITY
}

test('an account may be tried 10 times from wherever', async () => {
  const throttle = createThrottleLogin(createFakeLimiter().limiter)
  const allowed = await timesAllowed((time) =>
    throttle({ email: 'ada@example.com', remoteAddress: `192.0.2.${time}` })
  )
  expect(allowed).toBe(10)
})

test('an address may try 50 times, with whatever account', async () => {
  const throttle = createThrottleLogin(createFakeLimiter().limiter)
  const allowed = await timesAllowed((time) =>
    throttle({ email: `${time}@example.com`, remoteAddress: '192.0.2.1' })
  )
  expect(allowed).toBe(50)
})

test('an address over its limit takes nothing from an account', async () => {
  const { limiter, taken } = createFakeLimiter()
  const throttle = createThrottleLogin(limiter)
  await timesAllowed((time) =>
    throttle({ email: `${time}@example.com`, remoteAddress: '192.0.2.1' })
  )
  const before = taken.size
  await problemOf(throttle({ email: 'ada@example.com', remoteAddress: '192.0.2.1' }))
  expect(taken.size).toBe(before)
})

test('says when to come back, and names no email in its keys', async () => {
  const { limiter, taken } = createFakeLimiter()
  const throttle = createThrottleLogin(limiter)
  const attempt = { email: 'ada@example.com', remoteAddress: '192.0.2.1' }
  await timesAllowed(() => throttle(attempt))
  const problem = await problemOf(throttle(attempt))
  expect(problem.code).toBe('login_throttled')
  expect(problem.options.headers).toEqual({ 'retry-after': '62' })
  expect([...taken.keys()].join(' ')).not.toContain('ada')
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:DB8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['', '']
])('counts %s as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
