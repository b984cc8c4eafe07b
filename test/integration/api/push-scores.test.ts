/** Tests POST /v1/evaluation/scores over HTTP with a real database: sources, permissions,
 * duplicates and limits.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { parseApiKey } from '../../../core/ids/api-key.ts'
import type { LaterRun } from '../../../core/evaluation/evaluation.ts'
import { aDecision, aRun } from '../../support/builders.ts'
import { storePendingRun } from './pending-runs.ts'
import { createScene, reportProgress, storeDecision, storeRun } from './scene.ts'
import type { Scene } from './scene.ts'

const keyIdOf = (key: string): string => parseApiKey(key)?.key_id ?? ''
let scene: Scene

interface Result {
  readonly id: string
  readonly accepted: boolean
  readonly duplicate?: boolean
  readonly retryable?: boolean
  readonly problem?: { readonly code: string; readonly errors?: { pointer: string }[] }
}

beforeAll(async () => {
  scene = await createScene()
})

async function aStoredDecision(): Promise<string> {
  const decision = aDecision({ organization_id: scene.organizationId })
  await storeDecision(scene.database, decision)
  return decision.decision_id
}

async function push(scores: readonly unknown[], token = scene.token): Promise<Result[]> {
  const path = '/v1/evaluation/scores'
  const { status, body } = await scene.post<{ results: Result[] }>(path, { scores }, token)
  expect(status).toBe(200)
  return body.results
}

async function pendingRunsOf(decision_id: string) {
  return await scene.database.query<{ run_id: string; status: string; result: string }>(
    'select * from pending_runs where decision_id = $1 order by finished_at',
    [decision_id]
  )
}

async function anExternalEvaluator(output: object): Promise<string> {
  const evaluator_id = `evl_${randomUUID().replaceAll('-', '')}`
  const ids = [scene.organizationId, evaluator_id, evaluator_id]
  await scene.database.query(
    'insert into evaluators (organization_id, evaluator_id, name, version) values ($1, $2, $3, 1)',
    ids
  )
  const definition = {
    ...{ name: 'accuracy', data_type: 'numeric', min: 0, max: 5, labels: null, pass: null },
    ...{ threshold: 3, direction: 'higher', ...output }
  }
  await scene.database.query(
    `insert into evaluator_versions (organization_id, evaluator_id, version, name, kind, config,
                                     output, timeout_ms, config_hash, created_by)
     values ($1, $2, 1, $3, 'external', '{}', $4, 1000, 'sha256:0', 'test')`,
    [...ids, JSON.stringify(definition)]
  )
  return evaluator_id
}

test('makes scores of users, programs and end users readable at once', async () => {
  const decision_id = await aStoredDecision()
  const score = { decision_id: decision_id.toUpperCase(), name: 'helpful' }
  const given: [object, string][] = [
    [{ ...score, value: true, passed: true, reason: 'Thanks.' }, scene.tokenAs('member')],
    [{ ...score, value: 0.25 }, scene.writeKey],
    [{ ...score, label: 'meh', source: 'end_user', source_id: 'u-1' }, scene.writeKey]
  ]
  for (const [item, token] of given) {
    expect(await push([item], token)).toEqual([
      { id: expect.any(String), accepted: true, duplicate: false }
    ])
  }
  const { body } = await scene.get(`/v1/evaluation/${decision_id}`)
  expect(body).toMatchObject({
    progress: { planned: 0 },
    scores: {
      helpful: {
        ...{
          source_kind: 'api',
          source_id: keyIdOf(scene.writeKey),
          value: 0.25,
          data_type: 'numeric'
        },
        ...{ effective_value: 1, effective_passed: true, effective_source: 'human' },
        other_sources: {
          human: { data_type: 'boolean', reason: 'Thanks.', evaluator_id: null },
          end_user: { data_type: 'categorical', label: 'meh', source_id: 'u-1' }
        }
      }
    }
  })
  const [run] = await pendingRunsOf(decision_id)
  expect(run).toMatchObject({ status: 'finished', published_at: null })
  expect(run).toMatchObject({ rule_id: 'push', agent_id: 'refund-agent', domain: 'refunds' })
})

test('restricts feedback:write to scores of end users without an evaluator', async () => {
  const decision_id = await aStoredDecision()
  const key = scene.keyWith('feedback:write')
  const evaluator_id = await anExternalEvaluator({})
  const results = await push(
    [
      { decision_id, name: 'thumb', value: true, source_id: 'user-7' },
      { decision_id, name: 'smile', value: 3, source: null },
      { decision_id, evaluator_id, value: 4 }
    ],
    key
  )
  expect(results).toMatchObject([
    { accepted: true },
    { accepted: true },
    {
      accepted: false,
      retryable: false,
      problem: { code: 'scope_missing', errors: [{ pointer: '/evaluator_id' }] }
    }
  ])
  const { body } = await scene.get<{ data: Record<string, unknown>[] }>(
    `/v1/evaluation/${decision_id}/scores`
  )
  const sources = body.data.map(({ name, source_kind, source_id }) => [
    ...[name, source_kind, source_id]
  ])
  expect(sources.toSorted()).toEqual([
    ['smile', 'end_user', null],
    ['thumb', 'end_user', 'user-7']
  ])
})

test('accepts scores for an evaluator from a key with evaluation:write or admin', async () => {
  const decision_id = await aStoredDecision()
  const evaluator_id = await anExternalEvaluator({})
  for (const scopes of [['feedback:write', 'evaluation:write'], ['admin']] as const) {
    const results = await push([{ decision_id, evaluator_id, value: 4 }], scene.keyWith(...scopes))
    expect(results).toMatchObject([{ accepted: true }])
  }
})

test('rejects values too large to sum, and sums the largest allowed values', async () => {
  const name = 'enormous'
  const score = { decision_id: await aStoredDecision(), name }
  const [refused] = await push([{ ...score, value: 1.7e308 }])
  expect(refused).toMatchObject({ accepted: false })
  for (const value of [1e100, -1e100, 1e100]) {
    const decision_id = await aStoredDecision()
    await push([{ ...score, decision_id, value }])
    const [open] = await pendingRunsOf(decision_id)
    const ended = JSON.parse(open?.result ?? '') as LaterRun
    await storeRun(scene.database, { organization_id: scene.organizationId, decision_id }, ended)
  }
  const { status, body } = await scene.get<{ series: { points: { n: number }[] }[] }>(
    `/v1/evaluation/scores/summary?name=${name}`
  )
  expect([status, body.series[0]?.points[0]?.n]).toEqual([200, 3])
})

test('counts the last of several scores with the same name, in all reads', async () => {
  const decision_id = await aStoredDecision()
  const values = Array.from({ length: 9 }, (_, value) => value)
  const token = scene.tokenAs('member')
  await push(
    values.map((value) => ({ decision_id, name: 'helpful', value })),
    token
  )
  const path = `/v1/evaluation/${decision_id}`
  const { body } = await scene.get(path)
  expect(body).toMatchObject({ scores: { helpful: { value: 8, effective_value: 8 } } })
  const list = await scene.get<{ data: { value: number }[] }>(`${path}/scores?source=human`)
  expect(list.body.data.map(({ value }) => value)).toEqual([8])
  const all = await scene.get<{ data: { value: number }[] }>(`${path}/scores?history=true`)
  expect(all.body.data.map(({ value }) => value)).toEqual(values.toReversed())
})

test('rejects a score without a value, and accepts passed alone', async () => {
  const decision_id = await aStoredDecision()
  const [empty, passed] = await push([
    { decision_id, name: 'a' },
    { decision_id, name: 'b', passed: false }
  ])
  expect(empty?.problem?.errors).toEqual([
    { pointer: '/value', detail: 'is required if label and passed are missing' }
  ])
  expect(passed).toMatchObject({ accepted: true })
  const { body } = await scene.get(`/v1/evaluation/${decision_id}`)
  expect(body).toMatchObject({
    scores: { b: { data_type: 'boolean', value: 0, passed: false, effective_passed: false } }
  })
})

test('ignores a repeated id within a call, in concurrent calls, and once stored', async () => {
  const decision_id = await aStoredDecision()
  const score = { id: randomUUID(), decision_id, name: 'a', value: 1 }
  const once = await push([score, { ...score, value: 2 }])
  expect(once.map(({ duplicate }) => duplicate)).toEqual([false, true])
  const many = await Promise.all(Array.from({ length: 4 }, () => push([{ ...score, name: 'b' }])))
  expect(many.flat().every(({ accepted, duplicate }) => accepted && duplicate)).toBe(true)
  const [open, ...others] = await pendingRunsOf(decision_id)
  expect(others).toEqual([])
  const ended = JSON.parse(open?.result ?? '') as LaterRun
  await storeRun(scene.database, { organization_id: scene.organizationId, decision_id }, ended)
  await scene.database.query('delete from pending_runs where decision_id = $1', [decision_id])
  expect((await push([score]))[0]).toMatchObject({ accepted: true, duplicate: true })
  expect(await pendingRunsOf(decision_id)).toEqual([])
})

test('completes the run that waits for a score of an evaluator, once', async () => {
  const evaluator_id = await anExternalEvaluator({})
  const decision_id = await aStoredDecision()
  const owner = { organization_id: scene.organizationId, decision_id }
  const waiting = await storePendingRun(scene.database, owner, { evaluator_id, evaluator: 'acc' })
  const score = { id: randomUUID(), decision_id, evaluator_id, value: 4 }
  const results = await Promise.all(Array.from({ length: 5 }, () => push([score], scene.writeKey)))
  expect(results.flat().filter(({ duplicate }) => duplicate === false)).toHaveLength(1)
  const rows = await pendingRunsOf(decision_id)
  expect(rows).toMatchObject([{ run_id: waiting.run_id, status: 'finished', attempts: 1 }])
  expect(JSON.parse(rows[0]?.result ?? '')).toMatchObject({
    ...{ run_id: waiting.run_id, rule_id: 'rul_a', status: 'succeeded', evaluator_id },
    ...{ evaluator_version: 1, evaluator_kind: 'external', config_hash: 'sha256:0' },
    scores: [{ name: 'accuracy', value: 4, passed: true, normalized: 0.8, source_kind: 'api' }]
  })
  // Once no run is waiting, the score gets a run of its own.
  await push([{ ...score, id: randomUUID(), value: 1 }], scene.writeKey)
  expect(await pendingRunsOf(decision_id)).toHaveLength(2)
})

test('rejects scores that an evaluator does not allow, and accepts the others', async () => {
  const range = await anExternalEvaluator({})
  const labels = { good: 1, bad: 0 }
  const choice = await anExternalEvaluator({ data_type: 'categorical', labels, pass: ['good'] })
  const decision_id = await aStoredDecision()
  const refused: [object, string, string | null][] = [
    [{ evaluator_id: range, value: 6 }, 'invalid_body', '/value'],
    [{ evaluator_id: range, value: true }, 'invalid_body', '/value'],
    [{ evaluator_id: range, value: 1, name: 'other' }, 'invalid_body', '/name'],
    [{ evaluator_id: range, value: 1, data_type: 'text' }, 'invalid_body', '/data_type'],
    [{ evaluator_id: choice, label: 'fair' }, 'invalid_body', '/label'],
    [{ evaluator_id: choice }, 'invalid_body', '/label'],
    [{ evaluator_id: 'evl_none', value: 1 }, 'evaluator_not_found', '/evaluator_id'],
    [{ value: 1 }, 'invalid_body', '/name'],
    [{ name: 'a' }, 'invalid_body', '/value'],
    [{ name: 'a', passed: true, data_type: 'numeric' }, 'invalid_body', '/value'],
    [{ name: 'a', value: 1, more: 1 }, 'invalid_body', '/more'],
    [{ name: 'a\u0000', value: 1 }, 'invalid_body', '/name'],
    [{ name: 'a', label: '\ud800' }, 'invalid_body', '/label'],
    [{ name: 'a', value: 1, id: 'x' }, 'invalid_body', '/id']
  ]
  const good = { decision_id, evaluator_id: choice, label: 'good' }
  const results = await push([...refused.map(([item]) => ({ decision_id, ...item })), good, 7])
  for (const [index, [, code, pointer]] of refused.entries()) {
    const { accepted, problem } = results[index] as Result
    expect([accepted, problem?.code]).toEqual([false, code])
    expect(problem?.errors?.[0]?.pointer ?? null).toBe(pointer)
  }
  expect(results.at(-2)).toMatchObject({ accepted: true })
  expect(results.at(-1)).toMatchObject({ accepted: false, problem: { code: 'invalid_body' } })
  expect(await pendingRunsOf(decision_id)).toHaveLength(1)
})

test('rejects an unknown decision, for good once storage has caught up', async () => {
  const decision_id = randomUUID()
  const item = { decision_id, name: 'a', value: 1 }
  const early = await push([item])
  expect(early).toMatchObject([{ accepted: false, retryable: true }])
  expect(early[0]?.problem?.code).toBe('decision_not_found')
  await reportProgress(scene.database, new Date(Date.now() + 60_000))
  expect(await push([item])).toMatchObject([{ accepted: false, retryable: false }])
  const foreign = aDecision()
  await storeDecision(scene.database, foreign)
  const foreignItem = { ...item, decision_id: foreign.decision_id }
  expect(await push([foreignItem])).toMatchObject([{ accepted: false, retryable: false }])
})

test('rejects scores of decisions that are erased or about to be', async () => {
  const [gone, asked] = [await aStoredDecision(), await aStoredDecision()]
  await scene.database.query('update decision_ids set erased_at = now() where decision_id = $1', [
    gone
  ])
  await scene.database.query(
    `insert into erasures (erasure_id, organization_id, scope, subject, received_until,
                            requested_by)
     values ($1, $2, 'decision', $3, now(), 'test')`,
    [randomUUID(), scene.organizationId, asked]
  )
  for (const decision_id of [gone, asked]) {
    expect(await push([{ decision_id, name: 'a', value: 1 }])).toMatchObject([{ accepted: false }])
    expect(await pendingRunsOf(decision_id)).toEqual([])
  }
})

test('limits a decision to a thousand unplanned scores', async () => {
  const decision_id = await aStoredDecision()
  const owner = { organization_id: scene.organizationId, decision_id }
  const run = aRun({ rule: 'push', rule_id: 'push', scores: [] })
  await storeRun(scene.database, owner, run)
  await scene.database.query(
    `insert into later_runs
     select (json_populate_record(r, json_build_object('run_id', gen_random_uuid()))).*
       from later_runs r, generate_series(1, 998) where run_id = $1`,
    [run.run_id]
  )
  const item = { decision_id, name: 'a', value: 1 }
  const [last, over] = await push([item, item])
  expect(last).toMatchObject({ accepted: true })
  expect(over).toMatchObject({ accepted: false, problem: { code: 'limit_reached' } })
})

test('rejects the whole call without permission or with an invalid list', async () => {
  const path = '/v1/evaluation/scores'
  const codeOf = async (body: unknown, token: string) =>
    (await scene.post(path, body, token)).body['code']
  const scores = [{ decision_id: randomUUID(), name: 'a', value: 1 }]
  expect(await codeOf({ scores }, scene.tokenAs('viewer'))).toBe('role_missing')
  expect(await codeOf({ scores }, scene.apiKey)).toBe('scope_missing')
  expect(await codeOf({ scores: [] }, scene.token)).toBe('invalid_body')
  expect(await codeOf({ scores: Array.from({ length: 501 }, () => 1) }, scene.token)).toBe(
    'invalid_body'
  )
  const many = Array.from({ length: 500 }, () => ({ ...scores[0], reason: 'x'.repeat(4000) }))
  expect(await push(many)).toHaveLength(500)
})
