/** Tests that several processes on one Redis together keep the limit of a window, and that each
 * applies the whole limit while Redis is unavailable.
 */
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { beforeAll, expect, test } from '@jest/globals'
import { createRateLimiter } from '../../../platform/rate-limit/rate-limiter.ts'
import { createRedis } from '../../../platform/redis/redis.ts'
import type { Redis } from '../../../platform/redis/redis.ts'
import { createSharedWindows } from '../../../platform/redis/shared-windows.ts'
import { onEnd } from '../../support/cleanup.ts'
import type { LimiterPlan, LimiterReport } from '../../support/limiter-program.ts'
import { services } from '../../support/services.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { RecordingMetrics } from '../../unit/consumers/recording-metrics.ts'

/** Uses a separate Redis database, because the tests empty it. */
const redisUrl = (): string => new URL('/9', services().addresses.redisUrl).href

let redis: Redis

async function connected(url: string): Promise<Redis> {
  const client = createRedis(url)
  onEnd(async () => client.disconnect())
  await waitUntil('Redis is connected', () => client.status === 'ready')
  return client
}

beforeAll(async () => {
  redis = await connected(redisUrl())
})

/** Starts a process for each plan. The processes begin at the same time, once all are connected. */
async function runTogether(plans: readonly LimiterPlan[]): Promise<LimiterReport[]> {
  const children = plans.map((plan) => {
    const program = new URL('../../support/limiter-program.ts', import.meta.url)
    const child = fork(program, { execArgv: ['--no-warnings'] })
    onEnd(async () => child.kill('SIGKILL'))
    child.send(plan)
    return child
  })
  await Promise.all(children.map((child) => once(child, 'message')))
  const reports = children.map((child) => once(child, 'message') as Promise<[LimiterReport]>)
  for (const child of children) child.send('go')
  return (await Promise.all(reports)).map(([report]) => report)
}

/** Watches a key and records when its windows ended, in milliseconds since 1970. */
function watchWindows(key: string): { ends(): number[] } {
  const ends: number[] = []
  let isOver = false
  onEnd(async () => void (isOver = true))
  const look = async (): Promise<void> => {
    const askedAt = performance.timeOrigin + performance.now()
    const ttl = await redis.pttl(`sluice:rate:${key}`)
    const end = askedAt + ttl
    if (ttl > 0 && end > (ends.at(-1) ?? 0) + 500) ends.push(end)
    if (!isOver) setImmediate(() => void look())
  }
  void look()
  return {
    ends: () => {
      isOver = true
      return ends
    }
  }
}

test('no window exceeds its limit, and leased points are used', async () => {
  const [points, windowSeconds, ms] = [600, 2, 7000]
  const key = `organization:${randomUUID()}`
  const plan = { redisUrl: redisUrl(), key, points, windowSeconds, ms }
  const watch = watchWindows(key)
  // The load is uneven, as behind a load balancer, and about twice the limit in total.
  const reports = await runTogether([0.3, 0.2, 0.1, 0.02].map((perMs) => ({ ...plan, perMs })))
  const ends = watch.ends()
  const given = reports.flatMap((report) => report.given)
  const sum = (from: number, to: number): number =>
    given.reduce((total, [at, points]) => (at > from && at <= to ? total + points : total), 0)

  expect(reports.map(({ outages }) => outages)).toEqual([0, 0, 0, 0])
  expect(ends.length).toBeGreaterThanOrEqual(3)
  expect(sum(0, Infinity)).toBeLessThanOrEqual(points * ends.length)
  for (const end of ends) {
    // During the first 50 ms of a window, requests of the previous window can still be granted.
    expect(sum(end - windowSeconds * 1000 + 50, end)).toBeLessThanOrEqual(points)
  }
  // In each window that ended before the traffic stopped, at most one lease per process is left
  // unused.
  const complete = ends.slice(0, -1)
  const leaseMax = Math.floor(points / 16)
  for (const end of complete) {
    const inWindow = sum(end - windowSeconds * 1000, end)
    expect(inWindow).toBeGreaterThanOrEqual(points - reports.length * leaseMax)
  }
  const requests = reports.reduce((total, report) => total + report.requests, 0)
  const decisions = sum(0, Infinity) + reports.reduce((total, { refused }) => total + refused, 0)
  expect(requests / decisions).toBeLessThan(0.25)
})

test('several processes use a window to the last point', async () => {
  const key = `organization:${randomUUID()}`
  const plan = { redisUrl: redisUrl(), key, points: 1000, windowSeconds: 60, ms: 1500 }
  const reports = await runTogether([1, 1, 1].map((perMs) => ({ ...plan, perMs })))
  const given = reports
    .flatMap((report) => report.given)
    .reduce((sum, [, points]) => sum + points, 0)
  // All processes still send requests when the window is used up, so no leased point is left over.
  expect(given).toBe(1000)
  expect(reports.reduce((sum, { leased }) => sum + leased, 0)).toBe(1000)
  expect(await redis.get(`sluice:rate:${key}`)).toBe('1000')
})

/** Starts a proxy to Redis that can cut its connections. */
async function startGate() {
  const url = new URL('/9', services().addresses.redisUrl)
  const { hostname, port } = url
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const other = connect(Number(port || 6379), hostname)
    for (const socket of [client, other]) {
      sockets.add(socket.on('error', () => {}))
      socket.on('close', () => [client, other].forEach((each) => each.destroy()))
    }
    client.pipe(other)
    other.pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  url.port = String(address.port)
  const close = (): void => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  const open = async (): Promise<void> => {
    server.listen(address.port, '127.0.0.1')
    await once(server, 'listening')
  }
  onEnd(async () => close())
  return { url: url.href, close, open }
}

async function limiterOn(client: Redis) {
  const metrics = new RecordingMetrics()
  const limiter = createRateLimiter({ windows: createSharedWindows(client), metrics })
  const isLocal = (): boolean => metrics.levelOf('sluice_rate_limit_local') === 1
  return { limiter, isLocal }
}

test('Redis killed: each applies the whole limit, and then they share it again', async () => {
  const gate = await startGate()
  const first = await limiterOn(await connected(gate.url))
  const second = await limiterOn(redis)
  const key = `organization:${randomUUID()}`
  const limit = { points: 5, windowSeconds: 60 }
  expect(await first.limiter.take(key, limit, 2)).toMatchObject({ granted: 2, remaining: 3 })

  gate.close()
  const other = `organization:${randomUUID()}`
  for (let time = 0; time < 5; time++) {
    expect(await first.limiter.take(other, limit, 1)).toMatchObject({ granted: 1 })
  }
  expect(await first.limiter.take(other, limit, 1)).toMatchObject({ granted: 0 })
  expect(await second.limiter.take(other, limit, 5)).toMatchObject({ granted: 5 })
  expect([first.isLocal(), second.isLocal()]).toEqual([true, false])

  await gate.open()
  await waitUntil('the limit is shared again', async () => {
    await first.limiter.take(`organization:${randomUUID()}`, limit, 1)
    return !first.isLocal()
  })
  expect(await first.limiter.take(key, limit, 5)).toMatchObject({ granted: 3 })
})

test('Redis emptied: windows start again', async () => {
  const { limiter, isLocal } = await limiterOn(redis)
  const key = `organization:${randomUUID()}`
  const limit = { points: 5, windowSeconds: 60 }
  expect(await limiter.take(key, limit, 6)).toMatchObject({ granted: 5 })
  expect(await limiter.take(key, limit, 1)).toMatchObject({ granted: 0 })
  await redis.flushdb()
  await waitUntil(
    'points are given again',
    async () => (await limiter.take(key, limit, 1)).granted === 1
  )
  expect(await limiter.take(key, limit, 5)).toMatchObject({ granted: 4 })
  expect(isLocal()).toBe(false)
})

test('Redis restarted without its scripts: they are sent again', async () => {
  const { limiter, isLocal } = await limiterOn(redis)
  const limit = { points: 5, windowSeconds: 60 }
  expect(await limiter.take(`a:${randomUUID()}`, limit, 1)).toMatchObject({ granted: 1 })
  await redis.script('FLUSH')
  expect(await limiter.take(`a:${randomUUID()}`, limit, 1)).toMatchObject({ remaining: 4 })
  expect(isLocal()).toBe(false)
})
