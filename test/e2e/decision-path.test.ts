/** Tests the path of a decision end to end: HTTP → Kafka → Postgres → HTTP. */
import { beforeAll, describe, expect, test } from '@jest/globals'
import { decisionContract } from '../../schemas/index.ts'
import type { Application } from '../support/application.ts'
import { readAvro, readWireFormat } from '../support/avro-reader.ts'
import { aDecisionBody } from '../support/builders.ts'
import { clientOf, createInstallation } from '../support/installation.ts'
import type { Client, Installation, Tenant } from '../support/installation.ts'
import { readAll } from '../support/kafka.ts'
import { waitUntil } from '../support/wait-until.ts'

let sluice: Installation
let tenant: Tenant
let gateway: Application
let client: Client

beforeAll(async () => {
  sluice = await createInstallation()
  tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
  const started = await Promise.all([
    sluice.start('gateway', { DOCS_ENABLED: 'true' }),
    sluice.start('storage'),
    sluice.start('evaluation')
  ])
  gateway = started[0]
  client = clientOf(gateway, tenant)
})

/** Sends the body as is, so that the JSON text reaches the gateway unchanged. */
async function post(text: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.url}/v1/ingest`, {
    method: 'POST',
    body: text,
    headers: {
      authorization: `Bearer ${tenant.api_key}`,
      'content-type': 'application/json',
      ...headers
    }
  })
}

/** Returns the raw body, because parsing could hide changes. */
async function readText(path: string): Promise<string> {
  const { body } = await client.login(tenant.email, tenant.password)
  const headers = { authorization: `Bearer ${String(body['access_token'])}` }
  return await (await fetch(`${gateway.url}${path}`, { headers })).text()
}

describe('a decision', () => {
  test('is acknowledged with only its id, and with the state of the rate limit', async () => {
    const body = aDecisionBody({ decision_id: 'ABCDEF01-2345-4789-ABCD-EF0123456789' })
    const answer = await post(JSON.stringify(body))
    expect(answer.status).toBe(202)
    const decision_id = 'abcdef01-2345-4789-abcd-ef0123456789'
    expect(await answer.json()).toEqual({ decision_id, queued: true })
    expect(answer.headers.get('ratelimit-policy')).toBe('"organization";q=1000000;w=60')
    expect(answer.headers.get('ratelimit')).toMatch(/^"organization";r=\d+;t=\d+$/)
    expect(answer.headers.get('x-powered-by')).toBeNull()
  })

  test('is in Kafka under the key of its agent, readable by any Avro client', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const body = aDecisionBody({ agent_id: 'agent of this test' })
    await post(JSON.stringify(body), { traceparent })
    const records = await readAll(sluice.topics.decisions)
    const record = records.find(({ key }) => key === 'agent of this test')
    const { schemaId, payload } = readWireFormat(record?.value ?? Buffer.alloc(0))
    expect(schemaId).toBeGreaterThan(0)
    expect(readAvro(decisionContract.text, payload)).toMatchObject({
      decision_id: body['decision_id'],
      organization_id: tenant.organization_id,
      input: JSON.stringify(body['input']),
      output: body['output'],
      agent_id: 'agent of this test',
      metadata: JSON.stringify(body['metadata']),
      sdk_version: null
    })
    expect(record?.headers).toEqual({
      decision_id: body['decision_id'],
      organization_id: tenant.organization_id,
      traceparent
    })
  })

  test('is read back with the same digits and keys', async () => {
    const input =
      '{ "n":12345678901234567890, "z":"\\u0000", "__proto__":{"a":1},"big":1e400 ,"e":[-0.0,1E+2]}'
    const metadata = '{"b":1,"a":2,"a":3,"":"\\ud83e\\udd16 🤖"}'
    const decision_id = '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'
    const output = '"\\u0000é\\u2028🤖"'
    const id = `"decision_id":"${decision_id}"`
    const text = `{${id},"input":${input},"output":${output},"metadata":${metadata}}`
    expect((await post(text)).status).toBe(202)
    const answer = await readText(`/v1/decisions/${decision_id}?wait=20`)
    expect(answer).toContain(`"input":${input},`)
    expect(answer).toContain(`"metadata":${metadata},`)
    expect((JSON.parse(answer) as { output: string }).output).toBe('\u0000é\u2028🤖')
  })

  test('is stored once even if it is sent several times', async () => {
    const body = aDecisionBody()
    const ids = await Promise.all([client.accept(body), client.accept(body), client.accept(body)])
    expect(new Set(ids).size).toBe(1)
    await client.get(`/v1/decisions/${ids[0]}?wait=20`)
    const [row] = await sluice.database.query(
      `select count(*)::integer as n from decisions where decision_id = $1`,
      [ids[0]]
    )
    expect(row?.['n']).toBe(1)
  })

  test('is evaluated, with a result for every evaluator', async () => {
    const output = 'Sure, write to jane.doe@acme-mail.com and she will help.'
    const id = await client.accept(aDecisionBody({ output }))
    const { status, body } = await client.get(`/v1/evaluation/${id}?wait=20`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ decision_id: id, status: 'evaluated', verdict: 'mixed' })
    expect(body['scores']).toMatchObject({
      no_personal_data: { passed: false },
      output_not_empty: { passed: true }
    })
    expect(body['progress']).toMatchObject({ planned: 8, failed: 0, pending: 0 })
    expect(await client.get(`/v1/decisions/${id}?wait=20`)).toMatchObject({
      body: { evaluation: { status: 'evaluated', verdict: 'mixed' } }
    })
  })

  test('is counted, and the storage lag is reported', async () => {
    const id = await client.accept(aDecisionBody())
    await client.get(`/v1/evaluation/${id}?wait=20`)
    // The lag is null until storage has reported every partition of the evaluations topic.
    const body = await waitUntil('storage reports its lag', async () => {
      const answer = await client.get('/v1/evaluation/health')
      return answer.body['lag_ms'] !== null && answer.body
    })
    expect(body['lag_ms']).toEqual(expect.any(Number))
    expect(body['conservation']).toMatchObject({ difference: 0 })
  })

  test('is not visible to another organization', async () => {
    const id = await client.accept(aDecisionBody())
    await client.get(`/v1/decisions/${id}?wait=20`)
    const stranger = clientOf(gateway, await sluice.createTenant())
    expect(await stranger.get(`/v1/decisions/${id}`)).toMatchObject({ status: 404 })
    expect(await stranger.get(`/v1/evaluation/${id}`)).toMatchObject({ status: 404 })
    expect((await stranger.get('/v1/decisions')).body['data']).toEqual([])
  })

  test('is the newest in the list', async () => {
    const ids = [await client.accept(aDecisionBody()), await client.accept(aDecisionBody())]
    for (const id of ids) await client.get(`/v1/decisions/${id}?wait=20`)
    const { body } = await client.get('/v1/decisions?limit=2')
    const listed = (body['data'] as { decision_id: string }[]).map((row) => row.decision_id)
    expect(listed).toEqual(ids.toReversed())
  })
})

test('the gateway serves the OpenAPI document and the documentation page', async () => {
  const document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as { paths: object }
  expect(Object.keys(document.paths)).toContain('/v1/ingest')
  expect(await (await fetch(`${gateway.url}/docs`)).text()).toContain('/docs/swagger-ui-bundle.js')
})
