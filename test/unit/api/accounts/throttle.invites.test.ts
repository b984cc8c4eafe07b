/** Tests that invites are limited by organization, by network and by address. */
import { expect, test } from '@jest/globals'
import { createThrottle } from '../../../../api/accounts/throttle.ts'
import type { RateLimiter } from '../../../../platform/rate-limit/rate-limiter.ts'
import { problemOf } from '../fakes.ts'

function createScene() {
  const taken = new Map<string, number>()
  const take: RateLimiter['take'] = async (key, { points }, count) => {
    const total = (taken.get(key) ?? 0) + count
    taken.set(key, total)
    return { granted: total <= points ? count : 0, remaining: 0, resetMs: 61_200 }
  }
  const giveBack: RateLimiter['giveBack'] = (key, _limit, points) =>
    void taken.set(key, (taken.get(key) ?? 0) - points)
  const throttle = createThrottle({ take, giveBack }, async () => false)
  /** Sends an invite. By default, each organization uses a different network. */
  const invite = (organizationId: string, email: string, remoteAddress = organizationId) =>
    throttle.invite({ email, remoteAddress }, organizationId)
  /** Returns the number of allowed invites, up to 200. */
  async function countAllowed(
    organizationId: string,
    emailOf: (time: number) => string,
    remoteAddress?: string
  ) {
    for (let time = 0; time < 200; time++) {
      try {
        await invite(organizationId, emailOf(time), remoteAddress)
      } catch {
        return time
      }
    }
    return 200
  }
  return { taken, invite, countAllowed }
}

const grace = 'grace@example.com'

test('allows 5 invites to an address per organization', async () => {
  const { countAllowed } = createScene()
  expect(await countAllowed('acme', () => grace)).toBe(5)
  expect(await countAllowed('globex', () => grace)).toBe(5)
})

test('allows 20 invites to an address over all organizations', async () => {
  const { countAllowed } = createScene()
  const allowed = []
  for (const id of ['a', 'b', 'c', 'd', 'e']) allowed.push(await countAllowed(id, () => grace))
  expect(allowed).toEqual([5, 5, 5, 5, 0])
})

test('limits one network that invites an address from many organizations', async () => {
  const { countAllowed } = createScene()
  const allowed = []
  for (const id of ['a', 'b', 'c', 'd']) {
    allowed.push(await countAllowed(id, () => grace, '192.0.2.1'))
  }
  expect(allowed).toEqual([5, 0, 0, 0])
  expect(await countAllowed('innocent', () => grace, '192.0.2.2')).toBe(5)
})

test('takes nothing from the total for an organization over its limit', async () => {
  const { invite, countAllowed } = createScene()
  for (let time = 0; time < 90; time++) await invite('acme', grace).catch(() => {})
  const allowed = []
  for (const id of ['b', 'c', 'd', 'e']) allowed.push(await countAllowed(id, () => grace))
  expect(allowed).toEqual([5, 5, 5, 0])
})

test('allows 100 invites per organization, and has no email in its keys', async () => {
  const { taken, invite, countAllowed } = createScene()
  expect(await countAllowed('acme', (time) => `${time}@example.com`)).toBe(100)
  const { code, options } = await problemOf(invite('acme', grace))
  expect([code, options.headers]).toEqual(['login_throttled', { 'retry-after': '62' }])
  expect([...taken.keys()].join(' ')).not.toContain('example')
})
