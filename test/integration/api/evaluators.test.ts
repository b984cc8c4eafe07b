/** Tests evaluators over HTTP with a database: versions, validation, deletion and limits. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { storePendingRun } from './pending-runs.ts'
import { createScene } from './scene.ts'
import type { Scene, Sending } from './scene.ts'

const path = '/v1/evaluation/evaluators'

interface Evaluator {
  readonly evaluator_id: string
  readonly name: string
  readonly version: number
  readonly built_in: boolean
  readonly config: object
  readonly output: Record<string, unknown>
  readonly config_hash: string
  readonly created_at: string | null
}

interface Body extends Evaluator {
  readonly code: string
  readonly errors: readonly { pointer: string; detail: string }[]
  readonly used_by: readonly object[]
  readonly data: readonly Evaluator[]
  readonly meta: { readonly next_cursor: string | null }
}

let scene: Scene
beforeAll(async () => {
  scene = await createScene()
})

const unusedName = (): string => `e${randomUUID()}`
const length = { check: 'length', max: 2000, unit: 'characters' }

const send = (method: Sending['method'], where: string, body?: unknown) =>
  scene.send<Body>({ method, path: `${path}${where}`, body })

async function make(members: object = {}): Promise<Evaluator> {
  const body = { name: unusedName(), kind: 'heuristic', config: length, ...members }
  const made = await send('POST', '', body)
  expect([made.status, made.text]).toEqual([201, expect.any(String)])
  return made.body
}

async function ruleSets(): Promise<number> {
  const [row] = await scene.database.query<{ n: number }>(
    'select count(*) as n from rule_sets where organization_id = $1',
    [scene.organizationId]
  )
  return row?.n ?? -1
}

describe('an evaluator', () => {
  test('is created, read, listed and deleted', async () => {
    const made = await make({ description: 'short' })
    expect(made).toMatchObject({
      evaluator_id: expect.stringMatching(/^evl_[0-9a-f]{32}$/),
      version: 1,
      built_in: false,
      config: length,
      output: { name: made.name, data_type: expect.any(String), threshold: null },
      timeout_ms: 100,
      config_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      self_test: null,
      created_by: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.stringMatching(/Z$/)
    })
    expect((await send('GET', `/${made.evaluator_id}`)).body).toEqual(made)
    expect((await send('GET', '?limit=200')).body.data).toContainEqual(made)
    expect((await send('DELETE', `/${made.evaluator_id}`)).body).toMatchObject({ deleted: true })
    expect((await send('GET', `/${made.evaluator_id}`)).body.code).toBe('evaluator_not_found')
    expect((await send('GET', `/${made.evaluator_id}/versions`)).status).toBe(404)
    // The name is free again after the deletion.
    await make({ name: made.name })
  })

  test('writes no rule set if no rule names it', async () => {
    const before = await ruleSets()
    const { evaluator_id } = await make()
    await send('PATCH', `/${evaluator_id}`, { timeout_ms: 50 })
    expect(await ruleSets()).toBe(before)
  })

  test('gets a new version when it changes, and none when nothing changes', async () => {
    const made = await make()
    const where = `/${made.evaluator_id}`
    expect((await send('PATCH', where, {})).body).toEqual(made)
    expect((await send('PATCH', where, { config: length })).body).toEqual(made)
    const second = (await send('PATCH', where, { config: { ...length, max: 10 } })).body
    expect(second).toMatchObject({ version: 2, name: made.name, created_at: made.created_at })
    expect(second.config_hash).not.toBe(made.config_hash)
    const name = unusedName()
    const third = (await send('PATCH', where, { name })).body
    expect(third).toMatchObject({ version: 3, name, output: { name } })

    expect((await send('GET', `${where}/versions/1`)).body).toEqual(made)
    expect((await send('GET', `${where}/versions/2`)).body).toEqual(second)
    for (const version of ['4', '0', '-1', '1.5', 'latest', '99999999999']) {
      expect((await send('GET', `${where}/versions/${version}`)).status).toBe(404)
    }
    const newest = await send('GET', `${where}/versions?limit=2`)
    expect(newest.body.data.map(({ version }) => version)).toEqual([3, 2])
    const cursor = newest.body.meta.next_cursor
    const rest = await send('GET', `${where}/versions?limit=2&cursor=${cursor}`)
    expect([rest.body.data, rest.body.meta.next_cursor]).toEqual([[made], null])
  })

  test('loses no change when many are made concurrently', async () => {
    const { evaluator_id } = await make()
    const changes = Array.from({ length: 8 }, (_each, index) =>
      send('PATCH', `/${evaluator_id}`, { config: { ...length, max: 100 + index } })
    )
    const versions = (await Promise.all(changes)).map(({ body }) => body.version)
    expect(versions.toSorted()).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  })

  test('keeps the given output when its configuration changes', async () => {
    const config = { method: 'levenshtein', reference: 'metadata.expected' }
    const made = await make({ kind: 'similarity', config, output: { threshold: 0.8 } })
    const next = { ...config, case_sensitive: false }
    const changed = await send('PATCH', `/${made.evaluator_id}`, { config: next })
    expect(changed.body).toMatchObject({ version: 2, output: { ...made.output, threshold: 0.8 } })
  })

  test('does not exist for another organization', async () => {
    const { evaluator_id } = await make()
    const foreign = { organizationId: randomUUID(), path: `${path}/${evaluator_id}` }
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      const body = method === 'PATCH' ? {} : undefined
      const { status } = await scene.send({ method, body, ...foreign })
      expect([method, status]).toEqual([method, 404])
    }
  })

  test('has a unique name', async () => {
    const [one, other] = [await make(), await make()]
    const again = { name: one.name, kind: 'external', config: {}, output: { data_type: 'text' } }
    expect((await send('POST', '', again)).body.code).toBe('name_taken')
    const renamed = await send('PATCH', `/${other.evaluator_id}`, { name: one.name })
    expect([renamed.status, renamed.body.code]).toEqual([409, 'name_taken'])
  })

  test('cannot be deleted while a rule names it', async () => {
    const { evaluator_id } = await make()
    const rule = { name: unusedName(), evaluators: [{ evaluator_id }] }
    const { body } = await scene.send<{ rule_id: string }>({
      ...{ method: 'POST', path: '/v1/evaluation/rules', body: rule }
    })
    const refused = await send('DELETE', `/${evaluator_id}`)
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { code: 'in_use', used_by: [{ rule_id: body.rule_id, name: rule.name }] }
    ])
    await scene.send({ method: 'DELETE', path: `/v1/evaluation/rules/${body.rule_id}` })
    expect((await send('DELETE', `/${evaluator_id}`)).status).toBe(200)
  })

  test('cancels its own pending runs when it is deleted', async () => {
    const [gone, kept] = [await make(), await make()]
    const owner = { organization_id: scene.organizationId, decision_id: randomUUID() }
    for (const { evaluator_id } of [gone, kept]) {
      await storePendingRun(scene.database, owner, { evaluator_id })
    }
    await send('DELETE', `/${gone.evaluator_id}`)
    const rows = await scene.database.query(
      `select evaluator_id, cancel_reason, cancel_requested_at is not null as is_asked
         from pending_runs where decision_id = $1 order by is_asked desc`,
      [owner.decision_id]
    )
    expect(rows).toEqual([
      { evaluator_id: gone.evaluator_id, cancel_reason: 'deleted', is_asked: true },
      { evaluator_id: kept.evaluator_id, cancel_reason: null, is_asked: false }
    ])
  })
})

describe('built-in evaluators', () => {
  test('exist in every organization, come first, and are read like others', async () => {
    await make({ name: 'a' })
    const { data } = (await send('GET', '?limit=200')).body
    const isBuiltIn = data.map(({ built_in }) => built_in)
    expect(isBuiltIn).toEqual(isBuiltIn.toSorted((one, other) => Number(other) - Number(one)))
    const [first] = data
    expect(first).toMatchObject({ evaluator_id: 'output_not_empty', created_at: null })
    expect((await send('GET', '/output_not_empty')).body).toEqual(first)
    expect((await send('GET', '/output_not_empty/versions')).body.data).toEqual([first])
    expect((await send('GET', '/output_not_empty/versions/1')).body).toEqual(first)
    expect((await send('GET', '/output_not_empty/versions/99')).status).toBe(404)
  })

  test('cannot be changed or deleted, and their names cannot be used', async () => {
    for (const method of ['PATCH', 'DELETE'] as const) {
      const body = method === 'PATCH' ? { description: 'mine' } : undefined
      const refused = await send(method, '/output_not_empty', body)
      expect([refused.status, refused.body.code]).toEqual([409, 'built_in'])
    }
    const twin = { name: 'output_not_empty', kind: 'heuristic', config: length }
    expect((await send('POST', '', twin)).body.errors[0]?.pointer).toBe('/name')
  })

  test('are paged along with the others', async () => {
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await send('GET', `?limit=3${cursor}`)
      seen.push(...body.data.map(({ evaluator_id }) => evaluator_id))
      cursor = body.meta.next_cursor === null ? '' : `&cursor=${body.meta.next_cursor}`
    } while (cursor !== '')
    const { data } = (await send('GET', '?limit=200')).body
    expect(seen).toEqual(data.map(({ evaluator_id }) => evaluator_id))
  })
})

describe('an invalid evaluator', () => {
  test('is rejected with all violations at once', async () => {
    const config = { pattern: '(', target: 'nowhere', must_match: true }
    const body = { name: 'A B', kind: 'regex', config, timeout_ms: 'soon', self_test: 1 }
    const refused = await send('POST', '', body)
    expect([refused.status, refused.body.code]).toEqual([422, 'invalid_body'])
    const pointers = refused.body.errors.map(({ pointer }) => pointer)
    expect(pointers).toEqual(
      expect.arrayContaining(['/name', '/timeout_ms', '/self_test', '/config/target'])
    )
  })

  test.each<[object, string]>([
    [
      { kind: 'regex', config: { pattern: '(', target: 'output', must_match: true } },
      '/config/pattern'
    ],
    [
      { kind: 'json_schema', config: { schema: { type: 'nothing' }, target: 'output' } },
      '/config/schema'
    ],
    [{ kind: 'nothing' }, '/kind'],
    [{ config: { check: 'no_such' } }, '/config/check'],
    [{ config: null }, '/config'],
    [{ description: 'a\u0000' }, '/description'],
    [{ description: '\ud800' }, '/description'],
    [{ extra: 1 }, '/extra'],
    [{ kind: 'external', config: {} }, '/output/data_type']
  ])('%j at %s', async (members, pointer) => {
    const body = { name: unusedName(), kind: 'heuristic', config: length, ...members }
    const refused = await send('POST', '', body)
    expect([refused.status, refused.body.code]).toEqual([422, 'invalid_body'])
    const found = refused.body.errors.map((error) => error.pointer)
    expect(found.some((each) => each.startsWith(pointer))).toBe(true)
  })

  test('is rejected as a change with the same pointers', async () => {
    const { evaluator_id } = await make()
    for (const [change, pointer] of [
      [{ config: { check: 'no_such' } }, '/config/check'],
      [{ kind: 'regex' }, '/kind'],
      [{ name: '' }, '/name'],
      [{ description: '\udfff' }, '/description']
    ] as const) {
      const refused = await send('PATCH', `/${evaluator_id}`, change)
      expect([refused.status, refused.body]).toMatchObject([422, { errors: [{ pointer }] }])
    }
  })

  test.each([null, [], 'text', 5])('is rejected: %j', async (body) => {
    expect((await send('POST', '', body)).status).toBe(422)
  })
})

test('limits evaluators to 200 even if many are created concurrently', async () => {
  const organizationId = randomUUID()
  const one = (index: number) =>
    scene.send({
      ...{ method: 'POST', path, organizationId },
      body: { name: `e${index}`, kind: 'heuristic', config: length }
    })
  const made = []
  for (let start = 0; start < 204; start += 12) {
    made.push(...(await Promise.all(Array.from({ length: 12 }, (_each, at) => one(start + at)))))
  }
  expect(made.filter(({ status }) => status === 201)).toHaveLength(200)
  expect(made.filter(({ body }) => body['code'] === 'limit_reached')).toHaveLength(4)
})

test('lets only admins and owners change evaluators', async () => {
  const { evaluator_id } = await make()
  for (const [method, where] of [
    ['POST', ''],
    ['PATCH', `/${evaluator_id}`],
    ['DELETE', `/${evaluator_id}`]
  ] as const) {
    const refused = await scene.send({ method, path: path + where, body: {}, role: 'member' })
    expect([refused.status, refused.body['code']]).toEqual([403, 'role_missing'])
  }
  const seen = await scene.send({ method: 'GET', path, role: 'viewer' })
  expect(seen.status).toBe(200)
})
