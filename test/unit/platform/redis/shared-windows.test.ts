/** Tests that an unavailable or frozen Redis is distinguished from a busy process. */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { createRedis } from '../../../../platform/redis/redis.ts'
import type { Redis } from '../../../../platform/redis/redis.ts'
import { createSharedWindows } from '../../../../platform/redis/shared-windows.ts'

const limit = { points: 3, windowSeconds: 60 }
const ends: (() => void)[] = []

afterEach(() => {
  for (const end of ends.splice(0).reverse()) end()
})

/** A fake Redis client that returns `answer` as the result of the rate-limit script. */
class FakeRedis {
  readonly status = 'ready'
  readonly keys: string[] = []
  answer: Promise<readonly number[]> = Promise.resolve([1, 60_000])

  defineCommand(): void {}

  rlflxIncr([key]: readonly string[]): Promise<readonly number[]> {
    this.keys.push(key ?? '')
    return this.answer
  }
}

function scene(answer: Promise<readonly number[]> = Promise.resolve([1, 60_000])) {
  const redis = new FakeRedis()
  redis.answer = answer
  return { redis, windows: createSharedWindows(redis as unknown as Redis) }
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

test('a take fails at once if the port is closed', async () => {
  const server = createServer()
  const port = await listening(server)
  server.close()
  await once(server, 'close')
  const redis = createRedis(`redis://127.0.0.1:${port}`)
  ends.push(() => redis.disconnect())
  await expect(createSharedWindows(redis).take('a', limit, 1)).rejects.toThrow('not ready')
})

test('a take fails soon without a response', async () => {
  const { windows } = scene(new Promise(() => {}))
  await expect(windows.take('a', limit, 1)).rejects.toThrow('did not respond within 75 ms')
})

test('a Redis error is not a rejection', async () => {
  const { windows } = scene(Promise.reject(new Error('OOM command not allowed')))
  await expect(windows.take('a', limit, 1)).rejects.toThrow('OOM')
})

test('a response that was unread while this process was busy still counts', async () => {
  const server = createServer()
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const client = connect(await listening(server), '127.0.0.1')
  const [[other]] = await Promise.all([accepted, once(client, 'connect')])
  ends.push(() => [client, other].forEach((socket) => socket.destroy()))
  ends.push(() => server.close())

  const answer = once(client, 'data').then(() => [1, 60_000])
  const taken = scene(answer).windows.take('a', limit, 1)
  other.write('the response')
  const until = performance.now() + 200
  while (performance.now() < until);
  expect(await taken).toMatchObject({ granted: 1 })
})

test('keys have a prefix', async () => {
  const { redis, windows } = scene()
  await windows.take('organization:1', limit, 1)
  expect(redis.keys).toEqual(['sluice:rate:organization:1'])
})

test.each([
  [[3, 9000], { granted: 2, remaining: 0, resetMs: 9000 }],
  [[2, 9000], { granted: 2, remaining: 1, resetMs: 9000 }],
  [[4, 9000], { granted: 1, remaining: 0, resetMs: 9000 }],
  [[5, -1], { granted: 0, remaining: 0, resetMs: 0 }],
  [[500, 1], { granted: 0, remaining: 0, resetMs: 1 }]
])('for a limit of 3 the response %j to a take of 2 is %j', async (answer, state) => {
  expect(await scene(Promise.resolve(answer)).windows.take('a', limit, 2)).toEqual(state)
})
