/** What a gateway does while something it needs is away, and that it recovers by itself. */
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { startApplication } from '../support/application.ts'
import type { Application } from '../support/application.ts'
import { aDecisionBody } from '../support/builders.ts'
import { createInstallation } from '../support/installation.ts'
import type { Installation, Tenant } from '../support/installation.ts'
import { readAll } from '../support/kafka.ts'
import { pauseService, resumeService, startKafkaProxy } from '../support/services.ts'
import { waitUntil } from '../support/wait-until.ts'

const deadlineMs = 2000
const inFlightBytesMax = 8 * 1024 * 1024

let sluice: Installation
let tenant: Tenant

beforeAll(async () => {
  sluice = await createInstallation()
  tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
})

type Answer = { status: number; retryAfter: string | null; body: Record<string, unknown> }

async function post(
  gateway: Application,
  decision: Record<string, unknown> = aDecisionBody(),
  apiKey: string = tenant.api_key
): Promise<Answer> {
  const answer = await fetch(`${gateway.url}/v1/ingest`, {
    method: 'POST',
    body: JSON.stringify(decision),
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  })
  const body = (await answer.json()) as Record<string, unknown>
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body }
}

async function idsInTopic(): Promise<Set<string | undefined>> {
  const records = await readAll(sluice.topics.decisions)
  return new Set(records.map(({ headers }) => headers['decision_id']))
}

async function acceptsAgain(gateway: Application): Promise<void> {
  await waitUntil('a decision is accepted again', async () => (await post(gateway)).status === 202)
}

describe('the log', () => {
  test('away: 503 with the same id and a time to come back, then all is well', async () => {
    const proxy = await startKafkaProxy()
    const gateway = await sluice.start('gateway', {
      KAFKA_BROKERS: proxy.brokers,
      PRODUCE_DEADLINE_MS: String(deadlineMs)
    })
    expect((await post(gateway)).status).toBe(202)

    await proxy.refuse()
    const decision = aDecisionBody()
    const answer = await post(gateway, decision)
    expect(answer).toMatchObject({
      status: 503,
      body: { code: 'log_unavailable', retryable: true, decision_id: decision['decision_id'] }
    })
    expect(answer.retryAfter).toMatch(/^[1-9]\d*$/)
    await waitUntil('the gateway is not ready', async () => !(await gateway.isReady()), 30_000)

    await proxy.heal()
    await acceptsAgain(gateway)
    await waitUntil('the gateway is ready', () => gateway.isReady())
    await gateway.stop()
    await proxy.close()
  })

  test('frozen: what was acknowledged is there, and what waits is bounded', async () => {
    const proxy = await startKafkaProxy()
    const gateway = await sluice.start('gateway', {
      KAFKA_BROKERS: proxy.brokers,
      PRODUCE_DEADLINE_MS: String(deadlineMs),
      IN_FLIGHT_BYTES_MAX: String(inFlightBytesMax)
    })
    await acceptsAgain(gateway)
    proxy.freeze()
    const decisions = Array.from({ length: 12 }, () =>
      aDecisionBody({ output: 'x'.repeat(inFlightBytesMax / 4) })
    )
    const answers = await Promise.all(decisions.map((decision) => post(gateway, decision)))
    const codes = answers.map(({ status, body }) => `${status} ${String(body['code'])}`)
    expect(new Set(codes)).toEqual(new Set(['503 log_unavailable', '503 overloaded']))
    expect(codes.filter((code) => code === '503 log_unavailable').length).toBeLessThanOrEqual(4)

    await proxy.heal()
    await waitUntil(
      'a decision is accepted again',
      async () => (await post(gateway)).status === 202
    )
    const accepted = await post(gateway)
    expect((await idsInTopic()).has(String(accepted.body['decision_id']))).toBe(true)
    await gateway.stop()
    await proxy.close()
  })
})

describe('a service frozen', () => {
  const frozen = ['redis', 'postgres', 'registry'] as const
  afterEach(async () => {
    for (const name of frozen) await resumeService(name)
  })

  test('Redis: limits are applied alone, nobody is refused and nobody waits long', async () => {
    const gateway = await sluice.start('gateway')
    expect((await post(gateway)).status).toBe(202)
    await pauseService('redis')
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(gateway)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
    expect(await gateway.metrics()).toContain('sluice_rate_limit_local 1')
    expect(await gateway.isReady()).toBe(true)

    await resumeService('redis')
    await waitUntil('limits are shared again', async () => {
      await post(gateway)
      return (await gateway.metrics()).includes('sluice_rate_limit_local 0')
    })
    await gateway.stop()
  })

  test('Postgres: known keys go on, an unknown one is 503 and not 401', async () => {
    const other = await sluice.createTenant()
    const gateway = await sluice.start('gateway')
    expect((await post(gateway)).status).toBe(202)
    await pauseService('postgres')
    const unknown = await post(gateway, aDecisionBody(), other.api_key)
    expect(unknown).toMatchObject({ status: 503, body: { code: 'authentication_unavailable' } })
    // By now the known key is stale, and still good.
    expect((await post(gateway)).status).toBe(202)
    expect(await gateway.isReady()).toBe(true)
    await resumeService('postgres')
    await gateway.stop()
  })

  test('registry: a running gateway does not notice, a new one waits for it', async () => {
    const running = await sluice.start('gateway')
    await pauseService('registry')
    expect((await post(running)).status).toBe(202)

    const starting = await startApplication('gateway', {
      environment: sluice.environment,
      waitReady: false
    })
    const early = await waitUntil('it listens', () => post(starting))
    expect(early).toMatchObject({ status: 503, body: { code: 'schema_unavailable' } })
    expect(await starting.isReady()).toBe(false)
    await resumeService('registry')
    await starting.waitUntilReady()
    expect((await post(starting)).status).toBe(202)
    await Promise.all([running.stop(), starting.stop()])
  })
})
