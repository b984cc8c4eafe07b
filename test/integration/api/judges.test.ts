/** Tests saving and testing judges over HTTP with a database and a judge on real sockets. */
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { aDecision } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { knowing, naive } from '../../support/grading-models.ts'
import { startJudgeServer } from '../../support/judge-server.ts'
import type { JudgeServer } from '../../support/judge-server.ts'
import { storePendingRun } from './pending-runs.ts'
import { createScene, storeDecision } from './scene.ts'
import type { Scene } from './scene.ts'

const path = '/v1/evaluation/evaluators'
const connections = '/v1/evaluation/connections'
const rules = '/v1/evaluation/rules'

interface Evaluator {
  readonly evaluator_id: string
  readonly version: number
  readonly self_test: { readonly passed: boolean; readonly attacks: object[] } | null
  readonly errors: readonly { pointer: string; detail: string }[]
}

interface Trial {
  readonly results: readonly Record<string, unknown>[]
  readonly usage: object
  readonly errors: readonly { pointer: string }[]
}

let scene: Scene
let judge: JudgeServer
let connectionId: string

beforeAll(async () => {
  scene = await createScene()
  judge = await startJudgeServer({ mind: naive(knowing((output) => output.includes('Paris'))) })
  onEnd(() => judge.close())
  connectionId = await connect()
})

async function connect(): Promise<string> {
  const models = [{ model: 'priced', usd_per_million_input: 1, usd_per_million_output: 2 }]
  const body = { name: `c${randomUUID()}`, base_url: judge.baseUrl, models }
  const made = await scene.send<{ connection_id: string }>({
    ...{ method: 'POST', path: connections, body }
  })
  return made.body.connection_id
}

beforeEach(() => judge.behave('good'))

function judgeOf(config: object = {}) {
  return {
    name: `j${randomUUID()}`,
    kind: 'llm_judge',
    config: {
      ...{ connection_id: connectionId, model: 'priced', prompt: 'Is {{output}} helpful?' },
      scale: { type: 'rubric', min: 1, max: 5 },
      ...config
    }
  }
}

const save = (body: object) => scene.send<Evaluator>({ method: 'POST', path, body })
const attempt = (where: string, body: object, role = 'member') =>
  scene.send<Trial>({ method: 'POST', path: `${path}${where}/test`, body, role })

describe('a saved judge', () => {
  test('is called once and attacked, and reports the result', async () => {
    const before = judge.calls.length
    const { status, body } = await save(judgeOf())
    expect(status).toBe(201)
    expect(body.self_test).toMatchObject({ passed: true, attacks: expect.any(Array) })
    expect(body.self_test?.attacks.length).toBeGreaterThan(3)
    expect(judge.calls.length - before).toBeGreaterThan(body.self_test?.attacks.length ?? 0)
    const shown = await scene.get<Evaluator>(`${path}/${body.evaluator_id}`)
    expect(shown.body.self_test).toEqual(body.self_test)
  })

  test('is not attacked on request, and not called again for a new name', async () => {
    const before = judge.calls.length
    const { body } = await save({ ...judgeOf(), self_test: false })
    expect([body.self_test, judge.calls.length - before]).toEqual([null, 1])
    const where = `${path}/${body.evaluator_id}`
    const renamed = await scene.send<Evaluator>({
      ...{ method: 'PATCH', path: where, body: { name: `j${randomUUID()}` } }
    })
    expect([renamed.body.version, judge.calls.length - before]).toEqual([2, 1])
  })

  test.each([
    ['unauthorized', '/config/connection_id'],
    ['no_model', '/config/model'],
    ['cut', '/config/connection_id']
  ] as const)('is rejected if the judge is %s, at %s', async (behaviour, pointer) => {
    judge.behave(behaviour)
    const { status, body } = await save(judgeOf())
    expect([status, body.errors]).toEqual([
      422,
      [{ pointer, detail: expect.stringMatching(/^does not work: ./) }]
    ])
  })

  test('requires a connection of its own organization', async () => {
    const unknown = await save(judgeOf({ connection_id: 'con_none' }))
    expect(unknown.body.errors[0]?.pointer).toBe('/config/connection_id')
    const body = judgeOf()
    const foreign = await scene.send<Evaluator>({
      ...{ method: 'POST', path, body, organizationId: randomUUID() }
    })
    expect([foreign.status, foreign.body.errors[0]?.pointer]).toEqual([
      ...[422, '/config/connection_id']
    ])
  })

  test.each<[object, string]>([
    [{ prompt: 'Is {{output}} like {{nothing}}?' }, '/config/prompt'],
    [{ scale: { type: 'rubric', min: 5, max: 1 } }, '/config/scale'],
    [{ max_tokens: 10 }, '/config/max_tokens'],
    [{ model: undefined }, '/config/model']
  ])('is validated before it is called: %j at %s', async (config, pointer) => {
    const before = judge.calls.length
    const { status, body } = await save(judgeOf(config))
    expect(status).toBe(422)
    const found = body.errors.filter((error) => error.pointer.startsWith(pointer))
    expect(found).toHaveLength(1)
    expect(judge.calls.length).toBe(before)
  })

  test('keeps its connection from being deleted', async () => {
    const { body } = await save({ ...judgeOf(), self_test: false })
    const where = `${connections}/${connectionId}`
    const refused = await scene.send({ method: 'DELETE', path: where })
    expect(refused.body).toMatchObject({ code: 'in_use', used_by: expect.any(Array) })
    const users = refused.body['used_by'] as { evaluator_id: string }[]
    expect(users.map(({ evaluator_id }) => evaluator_id)).toContain(body.evaluator_id)
  })

  test('releases a connection that it no longer uses, and runs are canceled', async () => {
    const before = await connect()
    const config = judgeOf({ connection_id: before }).config
    const { body } = await save({ ...judgeOf(), config, self_test: false })
    const where = `${path}/${body.evaluator_id}`
    const evaluators = [{ evaluator_id: body.evaluator_id }]
    await scene.send({ method: 'POST', path: rules, body: { name: before, evaluators } })
    const owner = { organization_id: scene.organizationId, decision_id: randomUUID() }
    await storePendingRun(scene.database, owner, { connection_id: before, status: 'blocked' })
    const change = { config: { ...config, connection_id: connectionId }, self_test: false }
    await scene.send({ method: 'PATCH', path: where, body: change })
    const deleted = await scene.send({ method: 'DELETE', path: `${connections}/${before}` })
    expect([deleted.status, deleted.body]).toEqual([200, expect.anything()])
    const rows = await scene.database.query(
      `delete from pending_runs where decision_id = $1 returning cancel_reason`,
      [owner.decision_id]
    )
    expect(rows).toEqual([{ cancel_reason: 'deleted' }])
  })

  test('keeps a connection that a pinned version of it uses', async () => {
    const before = await connect()
    const config = judgeOf({ connection_id: before }).config
    const { body } = await save({ ...judgeOf(), config, self_test: false })
    const evaluators = [{ evaluator_id: body.evaluator_id, version: 1 }]
    await scene.send({ method: 'POST', path: rules, body: { name: before, evaluators } })
    const change = { config: { ...config, connection_id: connectionId }, self_test: false }
    await scene.send({ method: 'PATCH', path: `${path}/${body.evaluator_id}`, body: change })
    const refused = await scene.send({ method: 'DELETE', path: `${connections}/${before}` })
    expect([refused.status, refused.body]).toMatchObject([409, { code: 'in_use' }])
  })
})

describe('a trial', () => {
  const contains = { name: 'says_yes', kind: 'regex' }
  const config = { pattern: '^yes', flags: 'i', target: 'output', must_match: true }
  const draft = { ...contains, config }

  async function store(output: string): Promise<string> {
    const received_at = Date.now()
    const decision = aDecision({ organization_id: scene.organizationId, received_at })
    // Storage stores the output as JSON text.
    await storeDecision(scene.database, { ...decision, output: JSON.stringify(output) })
    return decision.decision_id
  }

  test('scores the given decision with an unsaved evaluator, and stores nothing', async () => {
    const inline = { input: { a: 1 }, output: 'Yes, of course.', metadata: null }
    const { status, body } = await attempt('', { evaluator: draft, inline })
    expect([status, body]).toMatchObject([
      200,
      {
        results: [
          {
            ...{ decision_id: null, status: 'succeeded', usage: null },
            score: { name: 'says_yes', passed: true, value: 1 }
          }
        ],
        usage: { calls: 0, usd: 0 }
      }
    ])
    const [row] = await scene.database.query(
      `select (select count(*) from scores) + (select count(*) from pending_runs) as n`
    )
    expect(row).toEqual({ n: 0 })
  })

  test('takes stored decisions by id, and reports those that do not exist', async () => {
    const [yes, no] = [await store('yes'), await store('no')]
    const unknown = randomUUID()
    const decision_ids = [yes, unknown, no]
    const { body } = await attempt('', { evaluator: draft, decision_ids })
    expect(body.results).toMatchObject([
      { decision_id: yes, score: { passed: true } },
      { decision_id: unknown, status: 'skipped', status_reason: 'decision_not_found' },
      { decision_id: no, score: { passed: false } }
    ])
    const foreign = await scene.send<Trial>({
      ...{ method: 'POST', path: `${path}/test`, organizationId: randomUUID() },
      body: { evaluator: draft, decision_ids: [yes] }
    })
    expect(foreign.body.results[0]).toMatchObject({ status_reason: 'decision_not_found' })
  })

  test('takes a sample of the newest decisions, and a version of a saved evaluator', async () => {
    const saved = await save({ ...draft, name: `s${randomUUID()}` })
    const where = `/${saved.body.evaluator_id}`
    const newest = await store('yes, newest')
    const { body } = await attempt(where, { sample: { n: 1 }, version: 1 })
    expect(body.results).toMatchObject([{ decision_id: newest, score: { passed: true } }])
    expect((await attempt(where, { sample: { n: 1 }, version: 2 })).status).toBe(404)
    expect((await attempt('/output_not_empty', { sample: { n: 1 } })).status).toBe(200)
  })

  test('reports the cost and the failures of a judge', async () => {
    const ids = [await store('yes'), await store('no')]
    judge.script('server_error')
    const { body } = await attempt('', { evaluator: judgeOf(), decision_ids: ids })
    const states = body.results.map(({ status }) => status)
    expect(states.toSorted()).toEqual(['failed', 'succeeded'])
    const good = body.results.find(({ status }) => status === 'succeeded')
    expect(good).toMatchObject({
      score: { data_type: 'numeric', value: expect.any(Number), reason: expect.any(String) },
      usage: { calls: 1, input_tokens: expect.any(Number), usd: expect.any(Number) }
    })
    const bad = body.results.find(({ status }) => status === 'failed')
    expect(bad).toMatchObject({ status_reason: 'provider_error', error: expect.any(String) })
    expect(body.usage).toMatchObject({ calls: 2 })
  })

  test('fails for an endless schema, and the gateway continues', async () => {
    const schema = { $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/b' }] } } }
    let name = 'a'
    const defs: Record<string, object> = {}
    for (const next of 'bcdefghijklmnopqrstuvwxyz') {
      defs[name] = { allOf: [{ $ref: `#/$defs/${next}` }, { $ref: `#/$defs/${next}` }] }
      name = next
    }
    defs['z'] = { type: 'string' }
    const hostile = { ...schema, $defs: defs, $ref: '#/$defs/a' }
    const evaluator = {
      name: 'slow',
      kind: 'json_schema',
      config: { schema: hostile, target: 'output' }
    }
    const inline = { input: null, output: '"x"' }
    const { status, body } = await attempt('', { evaluator, inline })
    if (status === 422) expect(body.errors[0]?.pointer).toMatch(/^.evaluator.config.schema/)
    else expect(body.results[0]).toMatchObject({ status: 'failed', status_reason: 'code_timeout' })
  })

  test.each<[object, string]>([
    [{ evaluator: draft }, ''],
    [{ evaluator: draft, sample: { n: 1 }, decision_ids: [randomUUID()] }, ''],
    [{ evaluator: draft, sample: { n: 21 } }, '/sample/n'],
    [{ evaluator: draft, inline: { output: 'x' } }, '/inline/input'],
    [{ evaluator: draft, decision_ids: ['x'] }, '/decision_ids/0'],
    [{ evaluator: { ...draft, config: {} }, sample: { n: 1 } }, '/evaluator/config/pattern'],
    [{ evaluator: 5, sample: { n: 1 } }, '/evaluator'],
    [{ sample: { n: 1 } }, '/evaluator']
  ])('refuses %j at %j', async (body, pointer) => {
    const refused = await attempt('', body)
    expect(refused.status).toBe(422)
    expect(refused.body.errors.map((error) => error.pointer)).toContain(pointer)
  })

  test('is not allowed to viewers, nor for external evaluators', async () => {
    expect((await attempt('', {}, 'viewer')).status).toBe(403)
    const evaluator = { name: 'e', kind: 'external', config: {}, output: { data_type: 'text' } }
    const refused = await attempt('', { evaluator, sample: { n: 1 } })
    expect([refused.status, refused.body.errors[0]?.pointer]).toEqual([422, ''])
  })
})
