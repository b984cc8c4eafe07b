/** Tests that attempts are limited by account and network, and that one client cannot use up the
 * attempts of others.
 */
import { expect, test } from '@jest/globals'
import { createThrottle } from '../../../../api/accounts/throttle.ts'
import type { Throttle } from '../../../../api/accounts/throttle.ts'
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
    peek: (_key, { points }) => ({ granted: 0, remaining: points, resetMs: 900_000 }),
    isSpent: () => false,
    giveBack: (key, _limit, points) => void taken.set(key, (taken.get(key) ?? 0) - points)
  }
  return { limiter, taken }
}

async function timesAllowed(attempt: (time: number) => Promise<unknown>): Promise<number> {
  for (let time = 0; time < 1000; time++) {
    try {
      await attempt(time)
    } catch {
      return time
    }
  }
  return Number.POSITIVE_INFINITY
}

const ada = 'ada@example.com'
const wrong = () => Promise.resolve(false)
const right = () => Promise.resolve(true)
const unknownNetworks = () => Promise.resolve(false)
const throttleWith = (limiter = createFakeLimiter().limiter) =>
  createThrottle(limiter, unknownNetworks)

/** Uses up one account's attempts from the given number of networks. */
async function guess(throttle: Throttle, networks: number): Promise<void> {
  for (let network = 0; network < networks; network++) {
    const attempt = { email: ada, remoteAddress: `203.0.113.${network}` }
    await timesAllowed(() => throttle.attempt(attempt, wrong))
  }
}

test('allows 10 attempts per network and account, and lets other networks continue', async () => {
  const throttle = throttleWith()
  const from = (remoteAddress: string) =>
    timesAllowed(() => throttle.attempt({ email: ada, remoteAddress }, wrong))
  expect(await from('2001:db8:1:2::1')).toBe(10)
  expect(await from('2001:db8:1:2::beef')).toBe(0)
  expect(await from('2001:db8:1:3::1')).toBe(10)
})

test('allows 100 attempts per account from networks that it never logged in from', async () => {
  const throttle = throttleWith()
  const allowed = await timesAllowed((time) =>
    throttle.attempt({ email: ada, remoteAddress: `192.0.2.${time}` }, wrong)
  )
  expect(allowed).toBe(100)
})

test('lets a known network exceed the account limit, but not its own', async () => {
  const checked: string[] = []
  const throttle = createThrottle(createFakeLimiter().limiter, async (email, network) => {
    checked.push(`${email} ${network}`)
    return network === '192.0.2.1'
  })
  await guess(throttle, 10)
  expect(checked).toEqual([])
  const known = { email: ada, remoteAddress: '::ffff:192.0.2.1' }
  expect(await timesAllowed(() => throttle.attempt(known, wrong))).toBe(10)
  const unknown = { email: ada, remoteAddress: '192.0.2.2' }
  expect((await problemOf(throttle.attempt(unknown, wrong))).code).toBe('login_throttled')
  expect(new Set(checked)).toEqual(new Set([`${ada} 192.0.2.1`, `${ada} 192.0.2.2`]))
})

test('gives no attempt to unknown networks when a known one succeeds over the limit', async () => {
  const isAda = async (_email: string, network: string) => network === '192.0.2.1'
  const throttle = createThrottle(createFakeLimiter().limiter, isAda)
  await guess(throttle, 10)
  await throttle.attempt({ email: ada, remoteAddress: '192.0.2.1' }, right)
  const unknown = { email: ada, remoteAddress: '192.0.2.2' }
  expect(await timesAllowed(() => throttle.attempt(unknown, wrong))).toBe(0)
})

test('allows 50 attempts per address over all accounts', async () => {
  const throttle = throttleWith()
  const allowed = await timesAllowed((time) =>
    throttle.attempt({ email: `${time}@example.com`, remoteAddress: '192.0.2.1' }, wrong)
  )
  expect(allowed).toBe(50)
})

test('takes nothing from an account for a network over its own limit', async () => {
  const { limiter, taken } = createFakeLimiter()
  const throttle = throttleWith(limiter)
  await timesAllowed((time) =>
    throttle.attempt({ email: `${time}@example.com`, remoteAddress: '192.0.2.1' }, wrong)
  )
  await guess(throttle, 1)
  const before = new Map([...taken].filter(([key]) => key.startsWith('login:account:')))
  await problemOf(throttle.attempt({ email: ada, remoteAddress: '192.0.2.1' }, wrong))
  await problemOf(throttle.attempt({ email: ada, remoteAddress: '203.0.113.0' }, wrong))
  const after = new Map([...taken].filter(([key]) => key.startsWith('login:account:')))
  expect(after).toEqual(before)
})

test('gives back an attempt that succeeded', async () => {
  const throttle = throttleWith()
  const attempt = { email: ada, remoteAddress: '192.0.2.1' }
  for (let time = 0; time < 200; time++) {
    await throttle.attempt(attempt, right)
  }
  expect(await timesAllowed(() => throttle.attempt(attempt, wrong))).toBe(10)
})

test('gives back an attempt when the password could not be checked', async () => {
  const throttle = throttleWith()
  const attempt = { email: ada, remoteAddress: '192.0.2.1' }
  const fail = () => Promise.reject(new Error('the database is unavailable'))
  for (let time = 0; time < 200; time++) {
    await expect(throttle.attempt(attempt, fail)).rejects.toThrow('unavailable')
  }
  expect(await timesAllowed(() => throttle.attempt(attempt, wrong))).toBe(10)
})

test('takes no attempts of the network for retries at one account', async () => {
  const throttle = throttleWith()
  const attempt = { email: ada, remoteAddress: '192.0.2.1' }
  for (let time = 0; time < 100; time++) {
    await throttle.attempt(attempt, wrong).catch(() => {})
  }
  const colleague = { email: 'grace@example.com', remoteAddress: '192.0.2.1' }
  expect(await throttle.attempt(colleague, right)).toBe(true)
})

test('takes no attempt of the network when the account limit rejects', async () => {
  const throttle = throttleWith()
  await guess(throttle, 10)
  const attempt = { email: ada, remoteAddress: '192.0.2.1' }
  for (let time = 0; time < 100; time++) await problemOf(throttle.attempt(attempt, wrong))
  const colleague = { email: 'grace@example.com', remoteAddress: '192.0.2.1' }
  expect(await throttle.attempt(colleague, right)).toBe(true)
})

test('leaves each network its own emails to an address', async () => {
  const throttle = throttleWith()
  const from = (remoteAddress: string) =>
    timesAllowed(() => throttle.email({ email: ada, remoteAddress }, 'account'))
  expect([await from('203.0.113.1'), await from('192.0.2.1')]).toEqual([5, 5])
})

test('allows 20 emails of a kind per account, and 50 requests per address', async () => {
  const throttle = throttleWith()
  const sentTo = (kind: 'account' | 'registration') =>
    timesAllowed((time) => throttle.email({ email: ada, remoteAddress: `192.0.2.${time}` }, kind))
  const fromOne = await timesAllowed((time) =>
    throttle.email({ email: `${time}@example.com`, remoteAddress: '198.51.100.1' }, 'account')
  )
  expect([await sentTo('registration'), await sentTo('account'), fromOne]).toEqual([20, 20, 50])
})

test('allows 50 new accounts and email tokens per address, apart from logins', async () => {
  const throttle = throttleWith()
  expect(await timesAllowed(() => throttle.fromAddress('192.0.2.1'))).toBe(50)
  await throttle.attempt({ email: 'ada@example.com', remoteAddress: '192.0.2.1' }, wrong)
})

test('allows 200 logins per account with the right password', async () => {
  const { limiter, taken } = createFakeLimiter()
  const throttle = throttleWith(limiter)
  expect(await timesAllowed(() => throttle.login(ada))).toBe(200)
  await throttle.login('grace@example.com')
  expect([...taken.keys()].join(' ')).not.toContain('ada')
})

test('allows 30 refresh tokens per session in a minute and 3000 in a day', async () => {
  const limits: string[] = []
  const { limiter } = createFakeLimiter()
  const throttle = throttleWith({
    ...limiter,
    take: (key, limit, count) => {
      limits.push(`${limit.points} in ${limit.windowSeconds} s`)
      return limiter.take(key, limit, count)
    }
  })
  expect(await timesAllowed(() => throttle.refresh('session'))).toBe(30)
  expect([...new Set(limits)]).toEqual(['30 in 60 s', '3000 in 86400 s'])
  await throttle.refresh('another session')
})

test('allows 10 wrong passwords per registration token, from any network', async () => {
  const { limiter, taken } = createFakeLimiter()
  const throttle = throttleWith(limiter)
  for (let time = 0; time < 20; time++) await throttle.confirmation('slc_ada', right)
  expect(await timesAllowed(() => throttle.confirmation('slc_ada', wrong))).toBe(10)
  expect((await problemOf(throttle.confirmation('slc_ada', right))).code).toBe('login_throttled')
  expect(await throttle.confirmation('slc_grace', right)).toBe(true)
  expect([...taken.keys()].join(' ')).not.toContain('slc_')
})

test('sends Retry-After, and has no email in its keys', async () => {
  const { limiter, taken } = createFakeLimiter()
  const throttle = throttleWith(limiter)
  const attempt = { email: 'ada@example.com', remoteAddress: '192.0.2.1' }
  await timesAllowed(() => throttle.attempt(attempt, wrong))
  const problem = await problemOf(throttle.attempt(attempt, wrong))
  expect(problem.code).toBe('login_throttled')
  expect(problem.options.headers).toEqual({ 'retry-after': '62' })
  expect([...taken.keys()].join(' ')).not.toContain('ada')
})

test('sends emails requested from a known network, whatever other networks requested', async () => {
  const isKnown = async (_email: string, network: string) => network === '203.0.113.1'
  const throttle = createThrottle(createFakeLimiter().limiter, isKnown)
  const request = (remoteAddress: string) =>
    throttle.email({ email: ada, remoteAddress }, 'account')
  const unknown = await timesAllowed((time) => request(`192.0.2.${time}`))
  expect(unknown).toBe(20)
  expect(await timesAllowed(() => request('203.0.113.1'))).toBe(5)
})

test('shares the emails to an address between the networks of one site', async () => {
  const throttle = throttleWith()
  const sent = await timesAllowed((time) =>
    throttle.email({ email: ada, remoteAddress: `2001:db8:1:${time}::1` }, 'account')
  )
  expect(sent).toBe(5)
})
