/** Without Redis each instance applies the whole limit alone; with it, all count together. */
import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createRateLimiter } from '../../../platform/rate-limiter.ts'
import type { RateLimiter } from '../../../platform/rate-limiter.ts'
import { createRedis } from '../../../platform/redis.ts'
import type { Redis } from '../../../platform/redis.ts'
import { waitUntil } from '../../support/wait-until.ts'

const limit = { points: 3, windowSeconds: 60 }
const ends: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Counts as the limiter's script does, and can be taken away. */
class FakeRedis {
  readonly counts = new Map<string, number>()
  status = 'ready'
  failure: Error | null = null
  calls = 0

  /** The limiter defines its script under this name; here it is the method below. */
  defineCommand(): void {}

  async rlflxIncr([key, points, seconds]: readonly string[]): Promise<readonly number[]> {
    this.calls += 1
    if (this.failure !== null) throw this.failure
    const consumed = (this.counts.get(key ?? '') ?? 0) + Number(points)
    this.counts.set(key ?? '', consumed)
    return [consumed, Number(seconds) * 1000]
  }

  asRedis(): Redis {
    return this as unknown as Redis
  }
}

function limiterOn(redis: Redis): { limiter: RateLimiter; told: boolean[] } {
  const told: boolean[] = []
  return { limiter: createRateLimiter({ redis, onLocal: (isLocal) => told.push(isLocal) }), told }
}

function connected(port: number): Redis {
  const redis = createRedis(`redis://127.0.0.1:${port}`)
  ends.push(() => redis.disconnect())
  return redis
}

async function listening(server: Server): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  return (server.address() as AddressInfo).port
}

async function closed(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  await promise
}

/** A port of this machine on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer()
  const port = await listening(server)
  await closed(server)
  return port
}

/** Takes connections and never answers, as a frozen server does. */
async function frozenPort(): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket.on('error', () => {})))
  ends.push(() => {
    for (const socket of sockets) socket.destroy()
    return closed(server)
  })
  return listening(server)
}

describe.each([
  ['refuses connections', closedPort],
  ['never answers', frozenPort]
])('when Redis %s', (_, portOf) => {
  test('the whole limit holds locally, for each key', async () => {
    const { limiter, told } = limiterOn(connected(await portOf()))
    for (const remaining of [2, 1, 0]) {
      expect(await limiter.consume('a', limit, 1)).toMatchObject({ isAllowed: true, remaining })
    }
    const refused = await limiter.consume('a', limit, 1)
    expect(refused).toMatchObject({ isAllowed: false, remaining: 0 })
    expect(refused.resetMs).toBeGreaterThan(0)
    expect(refused.resetMs).toBeLessThanOrEqual(60_000)
    expect(await limiter.consume('b', limit, 1)).toMatchObject({ isAllowed: true, remaining: 2 })
    expect(told).toEqual([true])
  })
})

describe('when Redis answers', () => {
  test('instances count together', async () => {
    const redis = new FakeRedis()
    const [first, second] = [limiterOn(redis.asRedis()), limiterOn(redis.asRedis())]
    expect(await first.limiter.consume('a', limit, 2)).toEqual({
      isAllowed: true,
      remaining: 1,
      resetMs: 60_000
    })
    expect(await second.limiter.consume('a', limit, 2)).toMatchObject({
      isAllowed: false,
      remaining: 0
    })
    expect([...first.told, ...second.told]).toEqual([])
  })

  test('its keys say whose they are', async () => {
    const redis = new FakeRedis()
    await limiterOn(redis.asRedis()).limiter.consume('organization-1', limit, 1)
    expect([...redis.counts.keys()]).toEqual(['sluice:rate:organization-1'])
  })

  test('more points than the limit are refused, all of them', async () => {
    const { limiter } = limiterOn(new FakeRedis().asRedis())
    expect(await limiter.consume('a', limit, 4)).toMatchObject({ isAllowed: false, remaining: 0 })
  })

  test('each limit is its own', async () => {
    const { limiter } = limiterOn(new FakeRedis().asRedis())
    const wide = { points: 100, windowSeconds: 1 }
    expect(await limiter.consume('a', limit, 3)).toMatchObject({ isAllowed: true, remaining: 0 })
    expect(await limiter.consume('b', wide, 3)).toEqual({
      isAllowed: true,
      remaining: 97,
      resetMs: 1000
    })
  })
})

describe('when Redis goes and comes back', () => {
  test('no caller gets an error, and a failing Redis is left alone for a while', async () => {
    const redis = new FakeRedis()
    const { limiter, told } = limiterOn(redis.asRedis())
    redis.failure = new Error('Command timed out')
    const answers = []
    for (let call = 0; call < 3; call++) answers.push(await limiter.consume('a', limit, 1))
    expect(answers.map(({ isAllowed }) => isAllowed)).toEqual([true, true, true])
    expect(redis.calls).toBe(1)
    expect(told).toEqual([true])
  })

  test('a connection that is not ready is not even asked', async () => {
    const redis = new FakeRedis()
    redis.status = 'reconnecting'
    const { limiter, told } = limiterOn(redis.asRedis())
    expect((await limiter.consume('a', limit, 1)).isAllowed).toBe(true)
    expect(redis.calls).toBe(0)
    expect(told).toEqual([true])
  })

  test('it counts again, and what it counted before still holds', async () => {
    const redis = new FakeRedis()
    const { limiter, told } = limiterOn(redis.asRedis())
    expect((await limiter.consume('a', limit, 3)).isAllowed).toBe(true)
    redis.failure = new Error('Connection is closed.')
    // The local window begins empty: an outage grants the limit once more, it refuses nobody.
    expect((await limiter.consume('a', limit, 1)).isAllowed).toBe(true)
    redis.failure = null
    await waitUntil('the limiter asks Redis again', async () => {
      await limiter.consume('other', { points: 1000, windowSeconds: 60 }, 1)
      return told.at(-1) === false
    })
    expect(told).toEqual([true, false])
    expect((await limiter.consume('a', limit, 1)).isAllowed).toBe(false)
  })
})
