/** How often one may try: per account, per address, and never at the cost of somebody else. */
import { expect, test } from '@jest/globals'
import { createThrottle, networkOf } from '../../../../api/accounts/throttle.ts'
import type { RateLimiter } from '../../../../platform/rate-limit/rate-limiter.ts'
import { problemOf } from '../fakes.ts'

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
    giveBack: (key, _limit, points) => void taken.set(key, (taken.get(key) ?? 0) - points)
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
  const throttle = createThrottle(createFakeLimiter().limiter)
  const allowed = await timesAllowed((time) =>
    throttle.attempt({ email: 'ada@example.com', remoteAddress: `192.0.2.${time}` })
  )
  expect(allowed).toBe(10)
})

test('an address may try 50 times, with whatever account', async () => {
  const throttle = createThrottle(createFakeLimiter().limiter)
  const allowed = await timesAllowed((time) =>
    throttle.attempt({ email: `${time}@example.com`, remoteAddress: '192.0.2.1' })
  )
  expect(allowed).toBe(50)
})

test('an address over its limit takes nothing from an account', async () => {
  const { limiter, taken } = createFakeLimiter()
  const throttle = createThrottle(limiter)
  await timesAllowed((time) =>
    throttle.attempt({ email: `${time}@example.com`, remoteAddress: '192.0.2.1' })
  )
  const before = taken.size
  await problemOf(throttle.attempt({ email: 'ada@example.com', remoteAddress: '192.0.2.1' }))
  expect(taken.size).toBe(before)
})

test('a try that succeeded is given back', async () => {
  const throttle = createThrottle(createFakeLimiter().limiter)
  const attempt = { email: 'ada@example.com', remoteAddress: '192.0.2.1' }
  for (let time = 0; time < 100; time++) {
    await throttle.attempt(attempt)
    throttle.succeeded(attempt)
  }
  expect(await timesAllowed(() => throttle.attempt(attempt))).toBe(10)
})

test('an account gets 5 letters, and an address asks for 50', async () => {
  const throttle = createThrottle(createFakeLimiter().limiter)
  const toOne = await timesAllowed((time) =>
    throttle.letter({ email: 'ada@example.com', remoteAddress: `192.0.2.${time}` })
  )
  const fromOne = await timesAllowed((time) =>
    throttle.letter({ email: `${time}@example.com`, remoteAddress: '198.51.100.1' })
  )
  expect([toOne, fromOne]).toEqual([5, 50])
})

test('new accounts and tokens of letters are tried 50 times, and no log-in is lost', async () => {
  const throttle = createThrottle(createFakeLimiter().limiter)
  expect(await timesAllowed(() => throttle.fromAddress('192.0.2.1'))).toBe(50)
  await throttle.attempt({ email: 'ada@example.com', remoteAddress: '192.0.2.1' })
})

test('says when to come back, and names no email in its keys', async () => {
  const { limiter, taken } = createFakeLimiter()
  const throttle = createThrottle(limiter)
  const attempt = { email: 'ada@example.com', remoteAddress: '192.0.2.1' }
  await timesAllowed(() => throttle.attempt(attempt))
  const problem = await problemOf(throttle.attempt(attempt))
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
