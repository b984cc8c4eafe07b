/** Tests that gateways with the same Redis share rate limits, and that each applies the whole limit
 * without Redis.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Application } from '../support/application.ts'
import { aDecisionBody } from '../support/builders.ts'
import { createInstallation } from '../support/installation.ts'
import type { Installation, Tenant } from '../support/installation.ts'
import { readAll } from '../support/kafka.ts'
import { pauseService, resumeService, services } from '../support/services.ts'
import { waitUntil } from '../support/wait-until.ts'

/** Separate Redis database, so that other tests do not interfere. */
const redisUrl = (): string => new URL('/8', services().addresses.redisUrl).href
const atATime = 16

let sluice: Installation
let gateways: Application[]

beforeAll(async () => {
  sluice = await createInstallation()
  gateways = await Promise.all(
    [1, 2, 3].map(() => sluice.start('gateway', { REDIS_URL: redisUrl() }))
  )
})

type Answer = { status: number; headers: Headers; decision_id: string }

async function post(gateway: Application, tenant: Tenant): Promise<Answer> {
  const decision_id = randomUUID()
  const answer = await fetch(`${gateway.url}/v1/ingest`, {
    method: 'POST',
    body: JSON.stringify(aDecisionBody({ decision_id })),
    headers: { authorization: `Bearer ${tenant.api_key}`, 'content-type': 'application/json' }
  })
  await answer.arrayBuffer()
  return { status: answer.status, headers: answer.headers, decision_id }
}

/**
 * Sends requests to the gateways in turn with limited concurrency, and returns the responses by
 * status.
 */
async function sendMany(targets: readonly Application[], tenant: Tenant, count: number) {
  const answers: Answer[] = []
  let sent = 0
  const send = async (): Promise<void> => {
    while (sent < count) {
      const gateway = targets[sent++ % targets.length] as Application
      answers.push(await post(gateway, tenant))
    }
  }
  await Promise.all(Array.from({ length: atATime }, send))
  const withStatus = (status: number): Answer[] => answers.filter((each) => each.status === status)
  return { accepted: withStatus(202), refused: withStatus(429), answers }
}

describe('with Redis', () => {
  test('gateways together accept exactly the limit, and report the remaining points', async () => {
    const limit = 300
    const tenant = await sluice.createTenant({ rateLimit: limit })
    const { accepted, refused, answers } = await sendMany(gateways, tenant, 600)
    expect(accepted.length + refused.length).toBe(answers.length)
    expect(accepted.length).toBeLessThanOrEqual(limit)
    // All gateways keep receiving requests after the limit is reached, so no leased points remain
    // unused.
    expect(accepted.length).toBe(limit)
    const ids = new Set(
      (await readAll(sluice.topics.decisions)).map(({ headers }) => headers['decision_id'])
    )
    expect(accepted.filter(({ decision_id }) => !ids.has(decision_id))).toEqual([])
    expect(refused.filter(({ decision_id }) => ids.has(decision_id))).toEqual([])

    const last = refused.at(-1)?.headers
    expect(last?.get('ratelimit-policy')).toBe(`"organization";q=${limit};w=60`)
    expect(last?.get('ratelimit')).toMatch(/^"organization";r=0;t=[1-9]\d?$/)
    expect(Number(last?.get('retry-after'))).toBeGreaterThan(0)
  })

  test('all gateways soon apply a higher limit', async () => {
    const tenant = await sluice.createTenant({ rateLimit: 5 })
    expect((await sendMany(gateways, tenant, 12)).accepted.length).toBe(5)
    await sluice.database.query(
      'update organizations set rate_limit_points = 50 where organization_id = $1',
      [tenant.organization_id]
    )
    for (const gateway of gateways) {
      await waitUntil('it is accepted', async () => (await post(gateway, tenant)).status === 202)
    }
  })
})

test('each gateway applies the whole limit without Redis', async () => {
  const limit = 40
  const tenant = await sluice.createTenant({ rateLimit: limit })
  // This request makes the first gateway cache the key and count one point.
  const [first] = gateways as [Application]
  expect((await post(first, tenant)).status).toBe(202)
  await pauseService('redis')
  for (const [index, gateway] of gateways.entries()) {
    const { accepted, refused } = await sendMany([gateway], tenant, 60)
    expect(accepted.length).toBe(index === 0 ? limit - 1 : limit)
    expect(refused.length).toBe(60 - accepted.length)
    expect(await gateway.metrics()).toContain('sluice_rate_limit_local 1')
    expect(await gateway.isReady()).toBe(true)
  }
  await resumeService('redis')
  const other = await sluice.createTenant({ rateLimit: 1_000_000 })
  for (const gateway of gateways) {
    await waitUntil('the limit is shared again', async () => {
      await post(gateway, other)
      return (await gateway.metrics()).includes('sluice_rate_limit_local 0')
    })
  }
})
