/** Tests that ingest gateways are ready only while Kafka is available, even without writes, and
 * that API gateways do not need Kafka.
 */
import { beforeAll, expect, test } from '@jest/globals'
import type { Application } from '../support/application.ts'
import { aDecisionBody } from '../support/builders.ts'
import { clientOf, createInstallation } from '../support/installation.ts'
import type { Installation } from '../support/installation.ts'
import type { KafkaProxy } from '../support/kafka-proxy.ts'
import { pauseService, resumeService, startKafkaProxy } from '../support/services.ts'
import { waitUntil } from '../support/wait-until.ts'

/**
 * Maximum time in milliseconds to notice a change: Kafka is checked every 2 seconds, and each
 * result is valid for 10 seconds.
 */
const noticedMs = 15_000

let sluice: Installation
let proxy: KafkaProxy
let gateway: Application

beforeAll(async () => {
  sluice = await createInstallation()
  proxy = await startKafkaProxy()
  gateway = await sluice.start('gateway', {
    KAFKA_BROKERS: proxy.brokers,
    // Long deadline, to show that readiness does not depend on pending writes.
    PRODUCE_DEADLINE_MS: '60000',
    SHUTDOWN_DEADLINE_MS: '70000'
  })
})

test('is unready while Kafka is disconnected or frozen, and ready again afterwards', async () => {
  for (const harm of [() => proxy.refuse(), () => Promise.resolve(proxy.freeze())]) {
    await harm()
    await waitUntil('the gateway is not ready', async () => !(await gateway.isReady()), noticedMs)
    await proxy.heal()
    await waitUntil('the gateway is ready', () => gateway.isReady(), noticedMs)
  }
  expect(gateway.log()).toContain('Kafka unavailable')
  expect(gateway.log()).toContain('Kafka available again')
})

test('accepts connections once it is ready, even if Postgres is frozen at startup', async () => {
  // Startup waits at most two seconds for Postgres.
  await pauseService('postgres')
  try {
    const started = await sluice.start('gateway')
    expect((await fetch(`${started.url}/nowhere`)).status).toBe(404)
    await started.kill()
  } finally {
    await resumeService('postgres')
  }
})

test('API gateways need no Kafka or registry, and ingest gateways no signing key', async () => {
  const { environment } = sluice
  const api = { ...environment, KAFKA_BROKERS: '', SCHEMA_REGISTRY_URL: '', GATEWAY_ROUTES: 'api' }
  await pauseService('registry')
  const reads = await sluice.start('gateway', api)
  await resumeService('registry')
  const writes = await sluice.start('gateway', {
    GATEWAY_ROUTES: 'ingest',
    SESSION_SIGNING_KEY: ''
  })

  const tenant = await sluice.createTenant()
  const [writer, reader] = [clientOf(writes, tenant), clientOf(reads, tenant)]
  await writer.accept(aDecisionBody())
  expect(await reader.get('/v1/decisions')).toMatchObject({ status: 200 })
  expect((await reader.ingest(tenant.api_key, aDecisionBody())).status).toBe(404)
  expect((await writer.login(tenant.email, tenant.password)).status).toBe(404)
  await Promise.all([reads.stop(), writes.stop()])
})

test('logs many rejections with the same reason once', async () => {
  const tenant = await sluice.createTenant()
  const client = clientOf(gateway, tenant)
  await pauseService('postgres')
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => client.ingest(tenant.api_key, aDecisionBody()))
  )
  await resumeService('postgres')
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
  const lines = gateway
    .log()
    .split('\n')
    .filter((line) => line.includes('requests rejected'))
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ level: 'warn', code: 'authentication_unavailable', left_out: 0 })
  ])
})
