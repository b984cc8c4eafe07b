/** Tests responses and recovery of the gateway when Kafka or the schema registry fails. */
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { startApplication } from '../support/application.ts'
import type { Application } from '../support/application.ts'
import { aDecisionBody } from '../support/builders.ts'
import { createInstallation } from '../support/installation.ts'
import type { Installation, Tenant } from '../support/installation.ts'
import type { KafkaProxy } from '../support/kafka-proxy.ts'
import { readAll } from '../support/kafka.ts'
import { pauseService, resumeService, startKafkaProxy } from '../support/services.ts'
import { waitUntil } from '../support/wait-until.ts'

const deadlineMs = 2000
const inFlightBytesMax = 8 * 1024 * 1024

let sluice: Installation
let tenant: Tenant
let proxy: KafkaProxy
/** Gateway shared by all tests. It connects to Kafka through the proxy. */
let gateway: Application

beforeAll(async () => {
  sluice = await createInstallation()
  tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
  proxy = await startKafkaProxy()
  gateway = await sluice.start('gateway', {
    KAFKA_BROKERS: proxy.brokers,
    PRODUCE_DEADLINE_MS: String(deadlineMs),
    IN_FLIGHT_BYTES_MAX: String(inFlightBytesMax)
  })
})

afterEach(async () => {
  await proxy.heal()
  await resumeService('registry')
})

type Answer = { status: number; retryAfter: string | null; body: Record<string, unknown> }

async function post(
  decision: Record<string, unknown> = aDecisionBody(),
  to: Application = gateway
): Promise<Answer> {
  const answer = await fetch(`${to.url}/v1/ingest`, {
    method: 'POST',
    body: JSON.stringify(decision),
    headers: { authorization: `Bearer ${tenant.api_key}`, 'content-type': 'application/json' }
  })
  const body = (await answer.json()) as Record<string, unknown>
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body }
}

async function idsInTopic(): Promise<Set<string | undefined>> {
  const records = await readAll(sluice.topics.decisions)
  return new Set(records.map(({ headers }) => headers['decision_id']))
}

async function acceptsAgain(): Promise<void> {
  await waitUntil('a decision is accepted again', async () => (await post()).status === 202)
}

test('returns 503 with id and Retry-After while Kafka is unreachable, then recovers', async () => {
  expect((await post()).status).toBe(202)
  await proxy.refuse()
  const decision = aDecisionBody()
  const answer = await post(decision)
  expect(answer).toMatchObject({
    status: 503,
    body: { code: 'log_unavailable', retryable: true, decision_id: decision['decision_id'] }
  })
  expect(answer.retryAfter).toMatch(/^[1-9]\d*$/)
  await proxy.heal()
  await acceptsAgain()
})

test('limits in-flight bytes while Kafka is frozen, then writes decisions again', async () => {
  await acceptsAgain()
  proxy.freeze()
  const decisions = Array.from({ length: 12 }, () =>
    aDecisionBody({ output: 'x'.repeat(inFlightBytesMax / 4) })
  )
  const answers = await Promise.all(decisions.map((decision) => post(decision)))
  const codes = answers.map(({ status, body }) => `${status} ${String(body['code'])}`)
  expect(new Set(codes)).toEqual(new Set(['503 log_unavailable', '503 overloaded']))
  expect(codes.filter((code) => code === '503 log_unavailable').length).toBeLessThanOrEqual(4)

  await proxy.heal()
  await acceptsAgain()
  const accepted = await post()
  expect((await idsInTopic()).has(String(accepted.body['decision_id']))).toBe(true)
})

test('keeps accepting while the registry is frozen, but a new gateway waits for it', async () => {
  await acceptsAgain()
  await pauseService('registry')
  expect((await post()).status).toBe(202)

  const starting = await startApplication('gateway', {
    environment: sluice.environment,
    waitReady: false
  })
  const early = await waitUntil('it listens', () => post(aDecisionBody(), starting))
  expect(early).toMatchObject({ status: 503, body: { code: 'schema_unavailable' } })
  expect(await starting.isReady()).toBe(false)
  await resumeService('registry')
  await starting.waitUntilReady()
  expect((await post(aDecisionBody(), starting)).status).toBe(202)
})
