/** How often one may try: per account, per network, and never at the cost of somebody else. */
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
    look: (_key, { points }) => ({ granted: 0, remaining: points, resetMs: 900_000 }),
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

/** Wrong passwords for an account, from so many networks. */
async function guess(throttle: Throttle, networks: number): Promise<void> {
  for (let network = 0; network < networks; network++) {
    const attempt = { email: ada, remoteAddress: `203.0.113.${network}` }
    await timesAllowed(() => throttle.attempt(attempt, wrong))
  }
}

test('one network may try an account 10 times, and others may go on', async () => {
  const throttle = throttleWith()
  const from = (remoteAddress: string) =>
    timesAllowed(() => throttle.attempt({ email: ada, remoteAddress }, wrong))
  expect(await from('2001:db8:1:2::1')).toBe(10)
  expect(await from('2001:db8:1:2::beef')).toBe(0)
  expect(await from('2001:db8:1:3::1')).toBe(10)
})

test('an account may be tried 100 times from networks that it never logged in from', async () => {
  const throttle = throttleWith()
  const allowed = await timesAllowed((time) =>
    throttle.attempt({ email: ada, remoteAddress: `192.0.2.${time}` }, wrong)
  )
  expect(allowed).toBe(100)
})

test('a known network passes beyond the limit of the account, within its own limit', async () => {
  const asked: string[] = []
  const throttle = createThrottle(createFakeLimiter().limiter, async (email, network) => {
    asked.push(`${email} ${network}`)
    return network === '192.0.2.1'
  })
  await guess(throttle, 10)
  expect(asked).toEqual([])
  const known = { email: ada, remoteAddress: '::ffff:192.0.2.1' }
  expect(await timesAllowed(() => throttle.attempt(known, wrong))).toBe(10)
  const stranger = { email: ada, remoteAddress: '192.0.2.2' }
  expect((await problemOf(throttle.attempt(stranger, wrong))).code).toBe('login_throttled')
  expect(new Set(asked)).toEqual(new Set([`${ada} 192.0.2.1`, `${ada} 192.0.2.2`]))
})

test('a known network that succeeds beyond the limit gives no try to strangers', async () => {
  const isAda = async (_email: string, network: string) => network === '192.0.2.1'
  const throttle = createThrottle(createFakeLimiter().limiter, isAda)
  await guess(throttle, 10)
  await throttle.attempt({ email: ada, remoteAddress: '192.0.2.1' }, right)
  const stranger = { email: ada, remoteAddress: '192.0.2.2' }
  expect(await timesAllowed(() => throttle.attempt(stranger, wrong))).toBe(0)
})

test('an address may try 50 times, with whatever account', async () => {
  const throttle = throttleWith()
  const allowed = await timesAllowed((time) =>
    throttle.attempt({ email: `${time}@example.com`, remoteAddress: '192.0.2.1' }, wrong)
  )
  expect(allowed).toBe(50)
})

test('a network over a limit of its own takes nothing from an account', async () => {
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

test('a try that succeeded is given back', async () => {
  const throttle = throttleWith()
  const attempt = { email: ada, remoteAddress: '192.0.2.1' }
  for (let time = 0; time < 200; time++) {
    await throttle.attempt(attempt, right)
  }
  expect(await timesAllowed(() => throttle.attempt(attempt, wrong))).toBe(10)
})

test('a try is given back when nobody could check the password', async () => {
  const throttle = throttleWith()
  const attempt = { email: ada, remoteAddress: '192.0.2.1' }
  const away = () => Promise.reject(new Error('the store is away'))
  for (let time = 0; time < 200; time++) {
    await expect(throttle.attempt(attempt, away)).rejects.toThrow('away')
  }
  expect(await timesAllowed(() => throttle.attempt(attempt, wrong))).toBe(10)
})

test('retries at one account use up none of the tries of their network', async () => {
  const throttle = throttleWith()
  const attempt = { email: ada, remoteAddress: '192.0.2.1' }
  for (let time = 0; time < 100; time++) {
    await throttle.attempt(attempt, wrong).catch(() => {})
  }
  const colleague = { email: 'grace@example.com', remoteAddress: '192.0.2.1' }
  expect(await throttle.attempt(colleague, right)).toBe(true)
})

test('what the limit of an account refuses uses up no try of the network', async () => {
  const throttle = throttleWith()
  await guess(throttle, 10)
  const attempt = { email: ada, remoteAddress: '192.0.2.1' }
  for (let time = 0; time < 100; time++) await problemOf(throttle.attempt(attempt, wrong))
  const colleague = { email: 'grace@example.com', remoteAddress: '192.0.2.1' }
  expect(await throttle.attempt(colleague, right)).toBe(true)
})

test('emails that one network asks for leave another network its own', async () => {
  const throttle = throttleWith()
  const from = (remoteAddress: string) =>
    timesAllowed(() => throttle.letter({ email: ada, remoteAddress }, 'account'))
  expect([await from('203.0.113.1'), await from('192.0.2.1')]).toEqual([5, 5])
})

test('an account gets 20 emails of a kind, and an address asks for 50', async () => {
  const throttle = throttleWith()
  const sentTo = (kind: 'account' | 'registration') =>
    timesAllowed((time) => throttle.letter({ email: ada, remoteAddress: `192.0.2.${time}` }, kind))
  const fromOne = await timesAllowed((time) =>
    throttle.letter({ email: `${time}@example.com`, remoteAddress: '198.51.100.1' }, 'account')
  )
  expect([await sentTo('registration'), await sentTo('account'), fromOne]).toEqual([20, 20, 50])
})

test('new accounts and tokens of letters are tried 50 times, and no log-in is lost', async () => {
  const throttle = throttleWith()
  expect(await timesAllowed(() => throttle.fromAddress('192.0.2.1'))).toBe(50)
  await throttle.attempt({ email: 'ada@example.com', remoteAddress: '192.0.2.1' }, wrong)
})

test('an account logs in 200 times with the right password, and others go on', async () => {
  const { limiter, taken } = createFakeLimiter()
  const throttle = throttleWith(limiter)
  expect(await timesAllowed(() => throttle.login(ada))).toBe(200)
  await throttle.login('grace@example.com')
  expect([...taken.keys()].join(' ')).not.toContain('ada')
})

test('a session gets 30 refresh tokens in a minute and 3000 in a day', async () => {
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

test('a token of a registration takes 10 wrong passwords, from whatever network', async () => {
  const { limiter, taken } = createFakeLimiter()
  const throttle = throttleWith(limiter)
  for (let time = 0; time < 20; time++) await throttle.confirmation('slc_ada', right)
  expect(await timesAllowed(() => throttle.confirmation('slc_ada', wrong))).toBe(10)
  expect((await problemOf(throttle.confirmation('slc_ada', right))).code).toBe('login_throttled')
  expect(await throttle.confirmation('slc_grace', right)).toBe(true)
  expect([...taken.keys()].join(' ')).not.toContain('slc_')
})

test('says when to come back, and names no email in its keys', async () => {
  const { limiter, taken } = createFakeLimiter()
  const throttle = throttleWith(limiter)
  const attempt = { email: 'ada@example.com', remoteAddress: '192.0.2.1' }
  await timesAllowed(() => throttle.attempt(attempt, wrong))
  const problem = await problemOf(throttle.attempt(attempt, wrong))
  expect(problem.code).toBe('login_throttled')
  expect(problem.options.headers).toEqual({ 'retry-after': '62' })
  expect([...taken.keys()].join(' ')).not.toContain('ada')
})

test('a person gets emails on a known network, however many strangers asked for', async () => {
  const isKnown = async (_email: string, network: string) => network === '203.0.113.1'
  const throttle = createThrottle(createFakeLimiter().limiter, isKnown)
  const ask = (remoteAddress: string) => throttle.letter({ email: ada, remoteAddress }, 'account')
  const strangers = await timesAllowed((time) => ask(`192.0.2.${time}`))
  expect(strangers).toBe(20)
  expect(await timesAllowed(() => ask('203.0.113.1'))).toBe(5)
})

test('networks of one site share the emails to an address', async () => {
  const throttle = throttleWith()
  const sent = await timesAllowed((time) =>
    throttle.letter({ email: ada, remoteAddress: `2001:db8:1:${time}::1` }, 'account')
  )
  expect(sent).toBe(5)
})
