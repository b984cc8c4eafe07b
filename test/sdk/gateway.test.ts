/** Tests each SDK with a real gateway: every decision is stored once, or counted as dropped. */
import { beforeAll, describe, expect, test } from '@jest/globals'
import { freePort } from '../../stack/ports.ts'
import type { Application } from '../support/application.ts'
import { onEnd } from '../support/cleanup.ts'
import { clientOf, createInstallation } from '../support/installation.ts'
import type { Installation, Tenant } from '../support/installation.ts'
import { sdks, startDriver } from '../support/sdk/driver.ts'
import type { Driver, Reply, Sdk } from '../support/sdk/driver.ts'
import { identityFaultsOf } from '../support/sdk/invariants.ts'
import { startRecordingProxy } from '../support/sdk/recording-proxy.ts'
import { startScriptedServer } from '../support/sdk/scripted-server.ts'
import { waitUntil } from '../support/wait-until.ts'

const timeoutMs = 120_000

let sluice: Installation
let gateway: Application

beforeAll(async () => {
  sluice = await createInstallation()
  ;[gateway] = await Promise.all([sluice.start('gateway'), sluice.start('storage')])
}, timeoutMs)

/** Starts a client for the tenant. `options` override the API key, the URL and the agent id. */
async function startClient(
  sdk: Sdk,
  tenant: Tenant,
  options: Readonly<Record<string, unknown>> = {}
): Promise<Driver> {
  const driver = startDriver(sdk)
  onEnd(driver.kill)
  const usual = { api_key: tenant.api_key, base_url: gateway.url, agent_id: 'sums' }
  await driver.ask({ do: 'init', options: { ...usual, ...options } })
  return driver
}

async function log(driver: Driver, decision: object, times = 1): Promise<string[]> {
  const { ids } = await driver.ask({ do: 'log', decision, times })
  return ids as string[]
}

async function statsOf(driver: Driver): Promise<Reply> {
  const stats = await driver.ask({ do: 'stats' })
  expect(identityFaultsOf(stats)).toEqual([])
  return stats
}

type Stored = { decision_id: string; input: string; output: string; metadata: string | null }

async function storedOf(tenant: Tenant, count: number): Promise<Stored[]> {
  const read = async (): Promise<Stored[]> =>
    await sluice.database.query<Stored>(
      `select decision_id, input, output, metadata from decisions where organization_id = $1`,
      [tenant.organization_id]
    )
  await waitUntil('all decisions are stored', async () => (await read()).length >= count, timeoutMs)
  return await read()
}

/** Common values, and values that JSON cannot represent or that encoders often corrupt. */
const inputs: readonly unknown[] = [
  { question: '2+2?', tags: ['a', 'b'] },
  'größer als 😀 \u2028 "quoted" \\ \u0007',
  { $value: 'big_integer', digits: '123456789012345678901234567890' },
  [{ $value: 'nan' }, 1e21, 0.1, -0.5],
  { $value: 'bytes', hex: '00ff10' },
  { $value: 'deep', levels: 70 },
  { $value: 'cyclic' },
  { $value: 'text', characters: 100_000, of: 'ü' },
  { cut: '\ud800', ['__proto__']: { a: 1 } },
  {
    $value: 'map',
    entries: [
      [1, 'a'],
      ['1', 'b']
    ]
  },
  { 'a\ud800': 1, 'a\udc00': 2 },
  { 'a\u0000b': '\u0000' },
  null
]
const each = 20

/**
 * Decisions with invalid fields. The SDK must repair or omit the fields, so that the gateway
 * accepts the decisions.
 */
const strange: readonly object[] = [
  { agent_id: '', session_id: '', domain: '' },
  { agent_id: { $value: 'text', characters: 300, of: '😀' } },
  { session_id: { $value: 'text', characters: 2000, of: 'é' }, domain: ' \n\u0007 ' },
  { agent_id: 'a\u0000b\ud800', domain: '\u0000' },
  { agent_id: { a: 1 }, session_id: [], domain: false },
  { input_tokens: -1, output_tokens: 1.5 },
  { input_tokens: { $value: 'power', base: 10, exponent: 30 }, output_tokens: true },
  { input_tokens: '12', output_tokens: 1e300 },
  { metadata: { $value: 'deep', levels: 100 } },
  { metadata: [1], decision_id: 'order-17' },
  { metadata: { 'a\u0000b': '\u0000', ['__proto__']: 1, '': null } },
  { metadata: 'gold', decision_id: '00000000-0000-0000-0000-000000000000' },
  { input: { $value: 'deep', levels: 100_000, kind: 'list' } },
  { input: { $value: 'power', base: 10, exponent: 5000 } },
  { input: { $value: 'throws_whole', name: 'Broken' }, output: { $value: 'cyclic' } }
]

describe.each(sdks)('%s', (sdk) => {
  test('stores each decision once, byte for byte', async () => {
    const tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
    const proxy = await startRecordingProxy(gateway.url)
    const driver = await startClient(sdk, tenant, { base_url: proxy.url })
    const ids: string[] = []
    for (const input of inputs) {
      const decision = { input, output: 'answer {n} \u0000\ud800', metadata: { nth: 1.5 } }
      ids.push(...(await log(driver, decision, each)))
    }
    await driver.ask({ do: 'flush', timeout_ms: 60_000 })
    const count = inputs.length * each
    expect(await statsOf(driver)).toMatchObject({ logged: count, sent: count, pending: 0 })

    const stored = await storedOf(tenant, count)
    expect(stored.map(({ decision_id }) => decision_id).sort()).toEqual([...ids].sort())
    const altered = stored.filter(({ decision_id, input, metadata }) => {
      const body = proxy.bodies.find((text) => text.includes(decision_id)) ?? ''
      const isThere = body.includes(`"input":${input}`) && body.includes(`"metadata":${metadata}`)
      return !isThere
    })
    expect(altered).toEqual([])
    expect(await driver.end('return')).toMatchObject({ code: 0 })
  })

  test('sends nothing that the gateway rejects', async () => {
    const tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
    const driver = await startClient(sdk, tenant)
    const ids: string[] = []
    for (const fields of strange) {
      ids.push(...(await log(driver, { input: 1, output: 'x', agent_id: 'a', ...fields })))
      const flushed = await driver.ask({ do: 'flush', timeout_ms: 20_000 })
      expect({ fields, ...flushed }).toMatchObject({ fields, sent: 1, failed: 0, dropped: 0 })
    }
    const stored = await storedOf(tenant, strange.length)
    expect(stored.map(({ decision_id }) => decision_id).sort()).toEqual(ids.sort())
  })

  test(
    'loses no decision if the gateway is killed and restarted',
    async () => {
      const tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
      const GATEWAY_PORT = String(await freePort())
      const base_url = `http://127.0.0.1:${GATEWAY_PORT}`
      const first = await sluice.start('gateway', { GATEWAY_PORT })
      const driver = await startClient(sdk, tenant, { base_url, retry_cap_ms: 1000 })
      const ids = await log(driver, { input: { n: 1 }, output: 'before {n}' }, 1000)
      await first.kill()
      ids.push(...(await log(driver, { input: { n: 2 }, output: 'meanwhile {n}' }, 1000)))
      await waitUntil('a request fails', async () => Number((await statsOf(driver))['retried']) > 0)
      await sluice.start('gateway', { GATEWAY_PORT })
      ids.push(...(await log(driver, { input: { n: 3 }, output: 'after {n}' }, 1000)))
      await driver.ask({ do: 'flush', timeout_ms: 60_000 })
      expect(await statsOf(driver)).toMatchObject({ logged: 3000, sent: 3000, pending: 0 })
      const stored = await storedOf(tenant, ids.length)
      expect(stored.map(({ decision_id }) => decision_id).sort()).toEqual(ids.sort())
      expect(await driver.end('return')).toMatchObject({ code: 0 })
    },
    timeoutMs
  )

  test('reports a wrong API key, and keeps decisions until the client is closed', async () => {
    const tenant = await sluice.createTenant()
    const api_key = `${tenant.api_key.slice(0, -6)}000000`
    const driver = await startClient(sdk, tenant, { api_key, shutdown_ms: 500 })
    await log(driver, { input: 1, output: '{n}' }, 10)
    const flushed = await driver.ask({ do: 'flush', timeout_ms: 2000 })
    expect(flushed).toMatchObject({ sent: 0, pending: 10 })
    await driver.ask({ do: 'close' })
    expect(await statsOf(driver)).toMatchObject({ dropped: { shutdown: 10 }, pending: 0 })
    expect(driver.stderr()).toMatch(/^sluice: .*key/im)
    expect(driver.stderr()).not.toContain(tenant.api_key.slice(0, -6))
  })

  test('waits for the rate limit, and counts decisions that were not sent in time', async () => {
    const tenant = await sluice.createTenant({ rateLimit: 30 })
    const driver = await startClient(sdk, tenant)
    const ids = await log(driver, { input: 1, output: '{n}' }, 50)
    const flushed = await driver.ask({ do: 'flush', timeout_ms: 3000 })
    expect(flushed).toMatchObject({ sent: 30, failed: 0, pending: 20 })
    await driver.ask({ do: 'close' })
    const { sent, dropped } = await statsOf(driver)
    expect(Number(sent) + (dropped as { shutdown: number }).shutdown).toBe(50)
    const stored = await storedOf(tenant, Number(sent))
    expect(stored).toHaveLength(Number(sent))
    expect(stored.filter(({ decision_id }) => !ids.includes(decision_id))).toEqual([])
  })

  test('reports drops, which the agent profile then shows', async () => {
    const tenant = await sluice.createTenant()
    const driver = await startClient(sdk, tenant, { queue_max_items: 5, batch_interval_ms: 60_000 })
    await log(driver, { input: 1, output: '{n}' }, 12)
    const flushed = await driver.ask({ do: 'flush' })
    expect(flushed).toMatchObject({ sent: 5, pending: 0 })
    const client = clientOf(gateway, tenant)
    const dropped = await waitUntil('the drops are shown', async () => {
      const { body } = await client.get('/v1/profiles/sums/ingestion')
      const { ingestion } = body as { ingestion?: { dropped: Record<string, number> } }
      return Object.keys(ingestion?.dropped ?? {}).length > 0 && ingestion?.dropped
    })
    expect(dropped).toEqual({ queue_full: 7 })
  })
})

test('the scripted server responds like the gateway', async () => {
  const tenant = await sluice.createTenant({ rateLimit: 4 })
  const server = await startScriptedServer({
    script: [
      {},
      { items: ['queued', 'refused'] },
      { status: 429, items: ['retryable'] },
      { status: 429 }
    ]
  })
  onEnd(server.shut)
  const decisions = [
    { input: 1, output: 'x' },
    { input: 2, output: 'y' }
  ]
  const bodies = [decisions, [decisions[0], { input: 2, output: 7 }], decisions, decisions]
  const shapeOf = async (url: string, body: unknown): Promise<unknown> => {
    const answer = await fetch(`${url}/v1/ingest/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ decisions: body })
    })
    const { results } = (await answer.json()) as { results?: Record<string, unknown>[] }
    const judged = results?.map(({ index, queued, retryable }) => ({ index, queued, retryable }))
    return { status: answer.status, judged }
  }
  // Two batches use up the limit of four points. The third is read and gets a 429 with results; the
  // fourth is rejected before its body is read.
  for (const body of bodies) {
    expect(await shapeOf(server.url, body)).toEqual(await shapeOf(gateway.url, body))
  }
})
