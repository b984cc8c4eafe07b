/** Tests active sessions: roles are cached for seconds and read again after a change. */
import { expect, test } from '@jest/globals'
import { createLiveSessions, cachedMs } from '../../../auth/live-sessions.ts'
import type { Queryable, Row } from '../../../platform/postgres/postgres.ts'
import { claims } from '../api/fakes.ts'

/** Creates sessions on a fake database. After `hold`, its queries wait until `letGo` is called. */
function createScene() {
  const scene = { now: 0, role: 'owner' as string | null, queried: 0, held: [] as (() => void)[] }
  let isHeld = false
  const accounts: Queryable = {
    query: async <R extends Row>() => {
      scene.queried += 1
      const { role } = scene
      if (isHeld) await new Promise<void>((resolve) => scene.held.push(resolve))
      if (role === 'unavailable') throw new Error('unavailable')
      return (role === null ? [] : [{ role }]) as unknown as R[]
    }
  }
  const sessions = createLiveSessions({ accounts, elapsedMs: () => scene.now })
  const hold = (): void => void (isHeld = true)
  const letGo = (): void => {
    isHeld = false
    for (const resolve of scene.held.splice(0)) resolve()
  }
  return Object.assign(scene, { sessions, hold, letGo })
}

test('reads a role once in 4.5 seconds', async () => {
  const scene = createScene()
  for (const now of [0, 1, cachedMs - 1]) {
    scene.now = now
    expect(await scene.sessions.roleOf(claims)).toBe('owner')
  }
  expect(scene.queried).toBe(1)
  scene.role = null
  scene.now = cachedMs
  expect(await scene.sessions.roleOf(claims)).toBeNull()
  expect(scene.queried).toBe(2)
})

test('distinguishes sessions and organizations', async () => {
  const scene = createScene()
  await scene.sessions.roleOf(claims)
  await scene.sessions.roleOf({ ...claims, session_id: '01938c4e-4444-7000-8000-5b7a9f002f6d' })
  await scene.sessions.roleOf({ ...claims, organization_id: claims.user_id })
  expect(scene.queried).toBe(3)
})

test('shares one query between concurrent callers', async () => {
  const scene = createScene()
  scene.hold()
  const roles = Promise.all(Array.from({ length: 50 }, () => scene.sessions.roleOf(claims)))
  scene.letGo()
  expect(new Set(await roles)).toEqual(new Set(['owner']))
  expect(scene.queried).toBe(1)
})

test('reads the role again after `forget`', async () => {
  const scene = createScene()
  await scene.sessions.roleOf(claims)
  scene.role = 'viewer'
  scene.sessions.forget(claims.user_id)
  scene.now = 1
  expect(await scene.sessions.roleOf(claims)).toBe('viewer')
})

test('does not cache a result that was requested before `forget`', async () => {
  const scene = createScene()
  scene.hold()
  const before = scene.sessions.roleOf(claims)
  scene.role = null
  scene.now = 1
  scene.sessions.forget(claims.user_id)
  scene.letGo()
  scene.now = 2
  expect(await scene.sessions.roleOf(claims)).toBeNull()
  expect(await before).toBe('owner')
  expect(await scene.sessions.roleOf(claims)).toBeNull()
})

test('serves only cached roles while the database is unavailable', async () => {
  const scene = createScene()
  await scene.sessions.roleOf(claims)
  scene.role = 'unavailable'
  expect(await scene.sessions.roleOf(claims)).toBe('owner')
  scene.now = cachedMs
  await expect(scene.sessions.roleOf(claims)).rejects.toThrow('unavailable')
  scene.role = 'owner'
  expect(await scene.sessions.roleOf(claims)).toBe('owner')
})
