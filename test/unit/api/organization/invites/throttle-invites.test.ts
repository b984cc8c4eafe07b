/** How many invites may be made: by an organization, and to one address. */
import { expect, test } from '@jest/globals'
import { throttleInvites } from '../../../../../api/organization/invites/throttle-invites.ts'
import type { RateLimiter } from '../../../../../platform/rate-limit/rate-limiter.ts'
import { problemOf } from '../../fakes.ts'

function createScene() {
  const taken = new Map<string, number>()
  const take: RateLimiter['take'] = async (key, { points }, count) => {
    const total = (taken.get(key) ?? 0) + count
    taken.set(key, total)
    return { granted: total <= points ? count : 0, remaining: 0, resetMs: 61_200 }
  }
  const giveBack: RateLimiter['giveBack'] = (key, _limit, points) =>
    void taken.set(key, (taken.get(key) ?? 0) - points)
  /** From a network of its own, unless one is given. */
  const invite = (organizationId: string, email: string, remoteAddress = organizationId) =>
    throttleInvites({ take, giveBack }, { organizationId, email, remoteAddress })
  /** How many of 200 invites are allowed. */
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

test('invites of one organization to an address leave another organization its own', async () => {
  const { countAllowed } = createScene()
  expect(await countAllowed('acme', () => grace)).toBe(5)
  expect(await countAllowed('globex', () => grace)).toBe(5)
})

test('an address is invited 20 times by all organizations together', async () => {
  const { countAllowed } = createScene()
  const allowed = []
  for (const id of ['a', 'b', 'c', 'd', 'e']) allowed.push(await countAllowed(id, () => grace))
  expect(allowed).toEqual([5, 5, 5, 5, 0])
})

test('one network cannot use up the invites to an address, whatever it founds', async () => {
  const { countAllowed } = createScene()
  const allowed = []
  for (const id of ['a', 'b', 'c', 'd']) {
    allowed.push(await countAllowed(id, () => grace, '192.0.2.1'))
  }
  expect(allowed).toEqual([5, 0, 0, 0])
  expect(await countAllowed('innocent', () => grace, '192.0.2.2')).toBe(5)
})

test('an organization over its limit for an address takes nothing from the total', async () => {
  const { invite, countAllowed } = createScene()
  for (let time = 0; time < 90; time++) await invite('acme', grace).catch(() => {})
  const allowed = []
  for (const id of ['b', 'c', 'd', 'e']) allowed.push(await countAllowed(id, () => grace))
  expect(allowed).toEqual([5, 5, 5, 0])
})

test('an organization makes 100 invites, and its keys name no email', async () => {
  const { taken, invite, countAllowed } = createScene()
  expect(await countAllowed('acme', (time) => `${time}@example.com`)).toBe(100)
  const { code, options } = await problemOf(invite('acme', grace))
  expect([code, options.headers]).toEqual(['login_throttled', { 'retry-after': '62' }])
  expect([...taken.keys()].join(' ')).not.toContain('example')
})
