/** Tests that each native service responds, keeps its data, and leaves no process running. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { Kafka, logLevel } from 'kafkajs'
import pg from 'pg'
import { removeNativeData } from '../../../stack/native/native-services.ts'
import { freePort } from '../../../stack/ports.ts'
import { problemsOf, thisMachine } from '../../../stack/preflight.ts'
import { ownerOf, startTimeOf } from '../../../stack/processes/run-file.ts'
import { startServices } from '../../../stack/services.ts'
import type { Addresses, StackServices } from '../../../stack/service.ts'

jest.setTimeout(180_000)

const folder = mkdtempSync(join(tmpdir(), 'sluice-native-'))
const problems = problemsOf('native', thisMachine(folder))
/**
 * The tests are skipped if this machine cannot run the native services, for example if it has only
 * Docker.
 */
const nativeTest = problems.length === 0 ? test : test.skip
const SCHEMA = { schema: '{"type":"string"}' }

let services: StackServices
let advertisedPort: number

async function start(): Promise<StackServices> {
  return await startServices({ mode: 'native', folder, proxyListener: { advertisedPort } })
}

beforeAll(async () => {
  advertisedPort = await freePort()
  if (problems.length === 0) services = await start()
})

afterAll(async () => {
  if (problems.length === 0) await services.stop()
  removeNativeData(folder)
  rmSync(folder, { recursive: true, force: true })
})

function kafkaAt(brokers: string): Kafka {
  return new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING })
}

async function topicsOf({ kafkaBrokers }: Addresses, create?: string): Promise<string[]> {
  const admin = kafkaAt(kafkaBrokers).admin()
  await admin.connect()
  if (create !== undefined) await admin.createTopics({ topics: [{ topic: create }] })
  const topics = await admin.listTopics()
  await admin.disconnect()
  return topics
}

/** Forwards bytes and counts connections. */
async function aProxy(
  port: number,
  target: string
): Promise<{ count: () => number; close: () => void }> {
  let connections = 0
  const [host, targetPort] = target.split(':')
  const server = createServer((near) => {
    connections += 1
    const far = connect({ host, port: Number(targetPort) })
    near.pipe(far).pipe(near)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
  })
  const listening = Promise.withResolvers<void>()
  server.listen(port, '127.0.0.1', listening.resolve)
  await listening.promise
  return { count: () => connections, close: () => void server.close() }
}

async function sql({ databaseUrl }: Addresses, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const result = await client.query<Record<string, unknown>>(text)
  await client.end()
  return result.rows
}

async function redis({ redisUrl }: Addresses, ...words: string[]): Promise<unknown> {
  const client = new Redis(redisUrl)
  // Without a listener, ioredis logs the error of a server that requires a password.
  client.on('error', () => {})
  const [command = '', ...args] = words
  return await client.call(command, ...args).finally(() => client.disconnect())
}

async function registry({ schemaRegistryUrl }: Addresses, body?: object): Promise<unknown> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body)
  }
  const answer = await (body === undefined
    ? fetch(`${schemaRegistryUrl}/subjects/kept-value/versions/1`)
    : fetch(`${schemaRegistryUrl}/subjects/kept-value/versions`, init))
  return ((await answer.json()) as { id: unknown }).id
}

nativeTest('Redis requires the password and disables dangerous commands', async () => {
  const anonymous = new URL(services.addresses.redisUrl)
  anonymous.password = ''
  const addresses = { ...services.addresses, redisUrl: anonymous.href }
  await expect(redis(addresses, 'PING')).rejects.toThrow('NOAUTH')
  for (const command of ['CONFIG', 'DEBUG', 'MODULE']) {
    await expect(redis(services.addresses, command, 'LIST')).rejects.toThrow('unknown command')
  }
  const data = join(folder, 'data')
  const modeOf = (path: string): number => statSync(path).mode & 0o777
  expect(modeOf(join(data, 'redis', 'redis.conf'))).toBe(0o600)
  expect(readdirSync(data).map((name) => modeOf(join(data, name)))).toEqual(
    readdirSync(data).map(() => 0o700)
  )
})

nativeTest('each service answers, and keeps its data over a restart', async () => {
  const before = services.addresses
  expect(await topicsOf(before, 'kept')).toContain('kept')
  const id = await registry(before, SCHEMA)
  expect(typeof id).toBe('number')
  expect(await redis(before, 'SET', 'kept', 'yes')).toBe('OK')
  await sql(before, `create table kept as select 'yes' as kept`)

  await services.stop()
  services = await start()

  const after = services.addresses
  expect(await topicsOf(after)).toContain('kept')
  expect(await registry(after)).toBe(id)
  expect(await redis(after, 'GET', 'kept')).toBe('yes')
  expect(await sql(after, 'select kept from kept')).toEqual([{ kept: 'yes' }])
})

nativeTest('clients of the proxy listener connect through the proxy', async () => {
  const proxy = await aProxy(advertisedPort, services.addresses.kafkaProxyTarget ?? '')
  const client = kafkaAt(`localhost:${advertisedPort}`).producer()
  await client.connect()
  await client.send({ topic: 'kept', messages: [{ value: 'through the proxy' }] })
  await client.disconnect()
  proxy.close()
  // The client opens one connection to find the leader, and one to the leader.
  expect(proxy.count()).toBeGreaterThanOrEqual(2)
})

nativeTest('a missing topic is not created automatically', async () => {
  const producer = kafkaAt(services.addresses.kafkaBrokers).producer({
    allowAutoTopicCreation: true,
    retry: { retries: 0 }
  })
  await producer.connect()
  const send = producer.send({ topic: 'stray', messages: [{ value: 'x' }] })
  await expect(send).rejects.toThrow(/topic/i)
  await producer.disconnect()
  expect(await topicsOf(services.addresses)).not.toContain('stray')
})

nativeTest('a paused service keeps its connections and continues when resumed', async () => {
  await services.pause('redis')
  const answer = redis(services.addresses, 'PING')
  await services.resume('redis')
  expect(await answer).toBe('PONG')
})

nativeTest('stop ends all processes and is idempotent', async () => {
  const pids = Object.values(services.pids())
  expect(pids).toHaveLength(4)
  await Promise.all([services.stop(), services.stop()])
  expect(pids.map(startTimeOf)).toEqual([null, null, null, null])
  expect(services.pids()).toEqual({})
  expect(ownerOf(join(folder, 'run', 'services.json'))).toBeNull()
})
