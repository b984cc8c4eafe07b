/** Contract tests for rate-limit windows in Redis and for their in-memory fake. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { createRedis } from '../../platform/redis/redis.ts'
import { createSharedWindows } from '../../platform/redis/shared-windows.ts'
import type { SharedWindows } from '../../platform/redis/shared-windows.ts'
import { onEnd } from '../support/cleanup.ts'
import { FakeWindows } from '../support/fake-windows.ts'
import { services } from '../support/services.ts'
import { waitUntil } from '../support/wait-until.ts'

const limit = { points: 10, windowSeconds: 60 }

async function windowsInRedis(): Promise<SharedWindows> {
  const redis = createRedis(services().addresses.redisUrl)
  onEnd(async () => redis.disconnect())
  await waitUntil('Redis is connected', () => redis.status === 'ready')
  return createSharedWindows(redis)
}

describe.each([
  ['in Redis', windowsInRedis],
  ['in memory', async () => new FakeWindows()]
])('windows %s', (_where, open) => {
  test('count points separately for each key', async () => {
    const windows = await open()
    const [one, other] = [randomUUID(), randomUUID()]
    expect(await windows.take(one, limit, 4)).toMatchObject({ granted: 4, remaining: 6 })
    expect(await windows.take(one, limit, 1)).toMatchObject({ granted: 1, remaining: 5 })
    expect(await windows.take(other, limit, 1)).toMatchObject({ granted: 1, remaining: 9 })
  })

  test('grant at most the remaining points, and do not count rejected ones', async () => {
    const windows = await open()
    const key = randomUUID()
    expect(await windows.take(key, limit, 8)).toMatchObject({ granted: 8, remaining: 2 })
    expect(await windows.take(key, limit, 5)).toMatchObject({ granted: 2, remaining: 0 })
    expect(await windows.take(key, limit, 5)).toMatchObject({ granted: 0, remaining: 0 })
    // With a limit of 13, three points are left only if the rejected points were not counted.
    const higher = { ...limit, points: 13 }
    expect(await windows.take(key, higher, 5)).toMatchObject({ granted: 3, remaining: 0 })
  })

  test('count points that were taken under a higher limit', async () => {
    const windows = await open()
    const key = randomUUID()
    await windows.take(key, limit, 8)
    const lower = { ...limit, points: 5 }
    expect(await windows.take(key, lower, 1)).toMatchObject({ granted: 0, remaining: 0 })
    expect(await windows.take(key, limit, 1)).toMatchObject({ granted: 1, remaining: 1 })
  })

  test('return their state if no points are requested', async () => {
    const windows = await open()
    const key = randomUUID()
    expect(await windows.take(key, limit, 0)).toMatchObject({ granted: 0, remaining: 10 })
    expect(await windows.take(key, limit, 10)).toMatchObject({ granted: 10, remaining: 0 })
  })

  test('end at the announced time, and the next window starts empty', async () => {
    const windows = await open()
    const key = randomUUID()
    const short = { points: 1, windowSeconds: 1 }
    const startedAt = performance.now()
    const { resetMs } = await windows.take(key, short, 1)
    expect(resetMs).toBeGreaterThan(0)
    expect(resetMs).toBeLessThanOrEqual(1000)
    expect(await windows.take(key, short, 1)).toMatchObject({ granted: 0 })
    await waitUntil('the next window begins', async () => {
      return (await windows.take(key, short, 1)).granted === 1
    })
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(resetMs)
  })

  test('share the remaining points among concurrent callers', async () => {
    const windows = await open()
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 8 }, () => windows.take(key, limit, 3)))
    expect(answers.reduce((sum, { granted }) => sum + granted, 0)).toBe(10)
    expect(answers.every(({ granted, remaining }) => granted === 3 || remaining === 0)).toBe(true)
  })

  test('count exactly beyond 32 bits', async () => {
    const windows = await open()
    const key = randomUUID()
    const large = { points: 1e9, windowSeconds: 60 }
    expect(await windows.take(key, large, 999_999_999)).toMatchObject({ remaining: 1 })
    expect(await windows.take(key, large, 2e9)).toMatchObject({ granted: 1, remaining: 0 })
  })
})
