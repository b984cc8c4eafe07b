/** Tests connections over HTTP with a database and a judge on real sockets: changes, encrypted
 * keys, connection tests and limits.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { createSealer } from '../../../platform/security/sealed-secret.ts'
import { onEnd } from '../../support/cleanup.ts'
import { startJudgeServer } from '../../support/judge-server.ts'
import type { JudgeServer } from '../../support/judge-server.ts'
import { createScene, secretsKey } from './scene.ts'
import type { Scene } from './scene.ts'

const path = '/v1/evaluation/connections'
const apiKey = 'sk-test-0123456789-last'

interface Connection {
  readonly connection_id: string
  readonly name: string
  readonly base_url: string
  readonly has_api_key: boolean
  readonly api_key_hint: string | null
  readonly models: readonly object[]
  readonly concurrency_max: number
  readonly circuit: { readonly state: string; readonly since: string | null }
}

interface ProblemBody {
  readonly code: string
  readonly errors?: readonly { pointer: string; detail: string }[]
  readonly used_by?: readonly object[]
}

let scene: Scene
let judge: JudgeServer

beforeAll(async () => {
  scene = await createScene()
  judge = await startJudgeServer()
  onEnd(() => judge.close())
})

const unusedName = (): string => `judge ${randomUUID()}`

async function make(members: object = {}): Promise<Connection> {
  const body = { name: unusedName(), base_url: judge.baseUrl, api_key: apiKey, ...members }
  const made = await scene.send<Connection>({ method: 'POST', path, body })
  expect([made.status, made.text]).toEqual([201, expect.any(String)])
  return made.body
}

const send = (method: 'GET' | 'PATCH' | 'DELETE', { connection_id }: Connection, body?: unknown) =>
  scene.send<Connection & ProblemBody>({ method, path: `${path}/${connection_id}`, body })

describe('a connection', () => {
  test('is created, listed, read, updated and deleted', async () => {
    const models = [{ model: 'm', usd_per_million_input: 1.5 }]
    const made = await make({ models, concurrency_max: 3 })
    expect(made).toMatchObject({
      connection_id: expect.stringMatching(/^con_[0-9a-f]{32}$/),
      base_url: judge.baseUrl,
      has_api_key: true,
      api_key_hint: 'last',
      models: [{ model: 'm', usd_per_million_input: 1.5, usd_per_million_output: null }],
      concurrency_max: 3,
      circuit: { state: 'closed', since: null }
    })
    expect((await send('GET', made)).body).toEqual(made)
    const { body } = await scene.get<{ data: Connection[] }>(`${path}?limit=200`)
    expect(body.data).toContainEqual(made)

    const name = unusedName()
    const changed = await send('PATCH', made, { name, models: [] })
    expect(changed.body).toMatchObject({ name, models: [], api_key_hint: 'last' })
    expect((await send('DELETE', made)).body).toMatchObject({ deleted: true })
    expect((await send('GET', made)).body.code).toBe('connection_not_found')
    expect((await send('DELETE', made)).status).toBe(404)
  })

  test('stores its key encrypted, and never returns it', async () => {
    const { connection_id } = await make()
    const [row] = await scene.database.query<{ sealed: Buffer; whole: string }>(
      `select api_key_sealed as sealed, c::text as whole
         from evaluation_connections c where connection_id = $1`,
      [connection_id]
    )
    expect(row?.whole).not.toContain(apiKey)
    const context = `${scene.organizationId}/${connection_id}`
    expect(createSealer(secretsKey).open(row?.sealed as Buffer, context)).toBe(apiKey)
    for (const { text } of [await scene.get(path), await scene.get(`${path}/${connection_id}`)]) {
      expect(text).not.toContain(apiKey)
    }
  })

  test('does not exist for another organization', async () => {
    const made = await make()
    const foreign = { organizationId: randomUUID(), path: `${path}/${made.connection_id}` }
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      const body = method === 'PATCH' ? { name: 'mine' } : undefined
      const { status } = await scene.send({ method, body, ...foreign })
      expect([method, status]).toEqual([method, 404])
    }
    expect((await send('GET', made)).body).toEqual(made)
  })

  test('has a unique name', async () => {
    const made = await make()
    const again = { name: made.name, base_url: judge.baseUrl }
    const refused = await scene.send<ProblemBody>({ method: 'POST', path, body: again })
    expect([refused.status, refused.body.code]).toEqual([409, 'name_taken'])
    const other = await make()
    expect((await send('PATCH', other, { name: made.name })).body.code).toBe('name_taken')
    expect((await send('PATCH', made, { name: made.name })).status).toBe(200)
  })

  test.each<[object, string]>([
    [{ base_url: 'ftp://example.com' }, '/base_url'],
    [{ base_url: 'no url' }, '/base_url'],
    [{ base_url: 'http://169.254.169.254/v1' }, '/base_url'],
    [{ base_url: 'https://example.com/v1?key=1' }, '/base_url'],
    [{ base_url: '\ud800' }, '/base_url'],
    [{ name: '' }, '/name'],
    [{ name: 'a\u0000b' }, '/name'],
    [{ name: '\udfff' }, '/name'],
    [{ api_key: 'with space' }, '/api_key'],
    [{ models: [{ model: 'm' }, { model: 'm' }] }, '/models/1/model'],
    [{ models: [{ model: 'm', usd_per_million_input: -1 }] }, '/models/0/usd_per_million_input'],
    [{ concurrency_max: 0 }, '/concurrency_max'],
    [{ secret: 1 }, '/secret']
  ])('refuses %j at %s', async (members, pointer) => {
    const body = { name: unusedName(), base_url: judge.baseUrl, ...members }
    const refused = await scene.send<ProblemBody>({ method: 'POST', path, body })
    expect([refused.status, refused.body.code]).toEqual([422, 'invalid_body'])
    expect(refused.body.errors?.map((error) => error.pointer)).toContain(pointer)
  })

  test('requires the key again for another origin', async () => {
    const made = await make()
    const base_url = 'https://elsewhere.example.com/v1'
    const refused = await send('PATCH', made, { base_url })
    expect(refused.body.errors).toEqual([{ pointer: '/api_key', detail: expect.any(String) }])
    expect((await send('PATCH', made, { base_url: `${judge.baseUrl}/` })).status).toBe(200)
    expect((await send('PATCH', made, { base_url, api_key: 'another-key-1234' })).status).toBe(200)
  })

  test('closes its circuit when the key changes, so that its runs can continue', async () => {
    const made = await make()
    await scene.database.query(
      `insert into connection_circuits (organization_id, connection_id, state, reason, probes)
       values ($1, $2, 'open', 'provider_auth', 4)`,
      [scene.organizationId, made.connection_id]
    )
    expect((await send('GET', made)).body.circuit).toMatchObject({ state: 'open' })
    expect((await send('PATCH', made, { concurrency_max: 2 })).body.circuit.state).toBe('open')
    const changed = await send('PATCH', made, { api_key: 'sk-test-that-works' })
    expect(changed.body.circuit).toMatchObject({ state: 'closed', reason: null })
  })

  test('closes its circuit when it is deleted, so that no alert counts it forever', async () => {
    const made = await make()
    const ids = [scene.organizationId, made.connection_id]
    await scene.database.query(
      `insert into connection_circuits (organization_id, connection_id, state, reason)
       values ($1, $2, 'open', 'provider_auth')`,
      ids
    )
    expect((await send('DELETE', made)).body).toMatchObject({ deleted: true })
    const circuits = await scene.database.query(
      `select state, reason from connection_circuits
        where organization_id = $1 and connection_id = $2`,
      ids
    )
    expect(circuits).toEqual([{ state: 'closed', reason: null }])
  })
})

describe('a connection test', () => {
  const sendTest = ({ connection_id }: Connection, body: object = { model: 'judge-1' }) =>
    scene.send<Record<string, unknown> & ProblemBody>({
      method: 'POST',
      path: `${path}/${connection_id}/test`,
      body
    })

  test('reports success after one call with the key', async () => {
    const made = await make()
    const before = judge.calls.length
    const { status, body } = await sendTest(made)
    expect([status, body]).toMatchObject([200, { ok: true, model: 'judge-1', message: null }])
    expect(judge.calls.slice(before).map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${apiKey}`
    ])
  })

  test.each([
    ['unauthorized', 'provider_auth'],
    ['no_model', 'model_unavailable'],
    ['overloaded', 'provider_error']
  ] as const)('reports an error with a message: %s', async (behaviour, status_reason) => {
    judge.script(behaviour)
    const { status, body } = await sendTest(await make())
    expect(status).toBe(200)
    expect(body).toMatchObject({ ok: false, status_reason, message: expect.any(String) })
  })

  test('requires a model unless the connection lists one', async () => {
    const bare = await sendTest(await make(), {})
    expect(bare.body.errors).toEqual([{ pointer: '/model', detail: expect.any(String) }])
    const named = await sendTest(await make({ models: [{ model: 'named' }] }), {})
    expect(named.body).toMatchObject({ ok: true, model: 'named' })
  })
})

test('lets only admins and owners create, update, delete and test connections', async () => {
  const { connection_id } = await make()
  const one = `${path}/${connection_id}`
  for (const role of ['viewer', 'member']) {
    expect((await scene.send({ method: 'GET', path: one, role })).status).toBe(200)
    for (const [method, where] of [
      ['POST', path],
      ['PATCH', one],
      ['DELETE', one],
      ['POST', `${one}/test`]
    ] as const) {
      const { status, body } = await scene.send({ method, path: where, role, body: {} })
      expect([status, body]).toMatchObject([403, { code: 'role_missing', role: 'admin' }])
    }
  }
  expect((await scene.send({ method: 'PATCH', path: one, role: 'admin', body: {} })).status).toBe(
    200
  )
})

/** Repeats a request while it gets a 503, which is expected with many concurrent requests. */
async function sendUntilTaken(sending: Parameters<Scene['send']>[0]) {
  for (;;) {
    const answer = await scene.send(sending)
    if (answer.status !== 503) return answer
  }
}

test('limits connections to 50 even if many are created concurrently', async () => {
  const organizationId = randomUUID()
  const made = await Promise.all(
    Array.from({ length: 60 }, (_each, index) => {
      const body = { name: `c${index}`, base_url: judge.baseUrl }
      return sendUntilTaken({ method: 'POST', path, body, organizationId })
    })
  )
  const states = made.map(({ status }) => status)
  expect(states.filter((status) => status === 201)).toHaveLength(50)
  expect(states.filter((status) => status === 409)).toHaveLength(10)
  const page = await scene.send<{ data: Connection[]; meta: { next_cursor: string | null } }>({
    ...{ method: 'GET', path: `${path}?limit=30`, organizationId }
  })
  const cursor = page.body.meta.next_cursor
  const rest = await scene.send<typeof page.body>({
    ...{ method: 'GET', path: `${path}?limit=30&cursor=${cursor}`, organizationId }
  })
  expect([page.body.data.length, rest.body.data.length, rest.body.meta.next_cursor]).toEqual([
    ...[30, 20, null]
  ])
  const malformed = await scene.get<ProblemBody>(`${path}?cursor=!`)
  expect(malformed.body.errors?.[0]?.pointer).toBe('/cursor')
})
