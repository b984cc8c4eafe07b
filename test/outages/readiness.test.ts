/** Readiness follows the log, whatever a client remembers of it, and only where there is one. */
import { beforeAll, expect, test } from '@jest/globals'
import type { Application } from '../support/application.ts'
import { aDecisionBody } from '../support/builders.ts'
import { clientOf, createInstallation } from '../support/installation.ts'
import type { Installation } from '../support/installation.ts'
import type { KafkaProxy } from '../support/kafka-proxy.ts'
import { pauseService, resumeService, startKafkaProxy } from '../support/services.ts'
import { waitUntil } from '../support/wait-until.ts'

/** The log is asked every 2 seconds, and an answer counts for 10. */
const noticedMs = 15_000

let sluice: Installation
let proxy: KafkaProxy
let gateway: Application

beforeAll(async () => {
  sluice = await createInstallation()
  proxy = await startKafkaProxy()
  gateway = await sluice.start('gateway', {
    KAFKA_BROKERS: proxy.brokers,
    // What a send may wait for is not what readiness waits for.
    PRODUCE_DEADLINE_MS: '60000',
    SHUTDOWN_DEADLINE_MS: '70000'
  })
})

test('a log that is cut off or frozen is noticed, and so is its return', async () => {
  for (const harm of [() => proxy.refuse(), () => Promise.resolve(proxy.freeze())]) {
    await harm()
    await waitUntil('the gateway is not ready', async () => !(await gateway.isReady()), noticedMs)
    await proxy.heal()
    await waitUntil('the gateway is ready', () => gateway.isReady(), noticedMs)
  }
  expect(gateway.log()).toContain('the log does not answer')
  expect(gateway.log()).toContain('the log answers again')
})

test('who is ready takes connections, whatever its start waits for', async () => {
  // A start waits two seconds for the store of keys, and not longer.
  await pauseService('postgres')
  try {
    const started = await sluice.start('gateway')
    expect((await fetch(`${started.url}/nowhere`)).status).toBe(404)
    await started.kill()
  } finally {
    await resumeService('postgres')
  }
})

test('api needs neither log nor registry, ingest no signing key', async () => {
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

test('the reason of a refusal is in the log, once for many', async () => {
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
    .filter((line) => line.includes('requests are refused'))
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ level: 'warn', code: 'authentication_unavailable', left_out: 0 })
  ])
})
