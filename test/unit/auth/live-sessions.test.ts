/** Whether a session lives: known for a few seconds, asked again at once when something changed. */
import { expect, test } from '@jest/globals'
import { createLiveSessions, knownMs } from '../../../auth/live-sessions.ts'
import type { Queryable, Row } from '../../../platform/postgres/postgres.ts'
import { claims } from '../api/fakes.ts'

/** A store that answers when it is told to. */
function createScene() {
  const scene = { now: 0, role: 'owner' as string | null, asked: 0, held: [] as (() => void)[] }
  let isHeld = false
  const accounts: Queryable = {
    query: async <R extends Row>() => {
      scene.asked += 1
      const { role } = scene
      if (isHeld) await new Promise<void>((resolve) => scene.held.push(resolve))
      if (role === 'away') throw new Error('away')
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

test('is asked once in 4.5 seconds, and then again', async () => {
  const scene = createScene()
  for (const now of [0, 1, knownMs - 1]) {
    scene.now = now
    expect(await scene.sessions.roleOf(claims)).toBe('owner')
  }
  expect(scene.asked).toBe(1)
  scene.role = null
  scene.now = knownMs
  expect(await scene.sessions.roleOf(claims)).toBeNull()
  expect(scene.asked).toBe(2)
})

test('sessions and organizations are told apart', async () => {
  const scene = createScene()
  await scene.sessions.roleOf(claims)
  await scene.sessions.roleOf({ ...claims, session_id: '01938c4e-4444-7000-8000-5b7a9f002f6d' })
  await scene.sessions.roleOf({ ...claims, organization_id: claims.user_id })
  expect(scene.asked).toBe(3)
})

test('many who ask at once ask the store once', async () => {
  const scene = createScene()
  scene.hold()
  const roles = Promise.all(Array.from({ length: 50 }, () => scene.sessions.roleOf(claims)))
  scene.letGo()
  expect(new Set(await roles)).toEqual(new Set(['owner']))
  expect(scene.asked).toBe(1)
})

test('who was forgotten is asked for at once', async () => {
  const scene = createScene()
  await scene.sessions.roleOf(claims)
  scene.role = 'viewer'
  scene.sessions.forget(claims.user_id)
  scene.now = 1
  expect(await scene.sessions.roleOf(claims)).toBe('viewer')
})

test('an answer from before it was forgotten is not kept', async () => {
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

test('while the store is away, what is known is enough, and only that', async () => {
  const scene = createScene()
  await scene.sessions.roleOf(claims)
  scene.role = 'away'
  expect(await scene.sessions.roleOf(claims)).toBe('owner')
  scene.now = knownMs
  await expect(scene.sessions.roleOf(claims)).rejects.toThrow('away')
  scene.role = 'owner'
  expect(await scene.sessions.roleOf(claims)).toBe('owner')
})
