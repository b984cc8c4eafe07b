/** Tests GET /v1/evaluation/{decision_id} over HTTP with a real database: runs, scores, access and
 * waiting.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { aDecision, aRun, aScore } from '../../support/builders.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { finished, storePendingRun, storePlan, storeRuleSet } from './pending-runs.ts'
import { createScene, storeDecision, storeRun } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene

beforeAll(async () => {
  scene = await createScene()
})

function ours() {
  return aDecision({ organization_id: scene.organizationId, output: '"fine"' })
}

const noProgress = {
  ...{ planned: 0, succeeded: 0, failed: 0, skipped: 0, pending: 0 },
  ...{ blocked: 0, expired: 0, canceled: 0 }
}

async function storedAt(table: string, { decision_id }: { decision_id: string }): Promise<string> {
  const [row] = await scene.database.query<{ at: Date }>(
    `select max(stored_at) as at from ${table} where decision_id = $1`,
    [decision_id]
  )
  return row?.at.toISOString() ?? ''
}

test('reports a decision without a plan as pending, with the reason', async () => {
  const decision = ours()
  await storeDecision(scene.database, decision)
  const { body } = await scene.get(`/v1/evaluation/${decision.decision_id.toUpperCase()}`)
  expect(body).toEqual({
    ...{ decision_id: decision.decision_id, status: 'pending', reason: 'not_planned_yet' },
    ...{ verdict: 'none', progress: noProgress, plan: [], runs: [], scores: {} },
    updated_at: await storedAt('decisions', decision)
  })
})

test('shows runs before their decision is stored, with the time of the latest change', async () => {
  const decision = ours()
  const run = aRun({ evaluator: 'json', status: 'failed', status_reason: 'timeout', scores: [] })
  await storeRun(scene.database, decision, run)
  const { body } = await scene.get<{ runs: object[] }>(`/v1/evaluation/${decision.decision_id}`)
  expect(body).toMatchObject({
    ...{ status: 'failed', reason: 'timeout', progress: { ...noProgress, planned: 1, failed: 1 } },
    updated_at: await storedAt('evaluation_runs', decision)
  })
  expect(body.runs).toEqual([
    {
      ...{ run_id: run.run_id, rule_id: null, rule: 'default', replay_of: null },
      ...{ evaluator_id: null, evaluator: 'json', evaluator_kind: 'heuristic' },
      ...{ evaluator_version: 1, generation: 0, superseded_by: null, attempts: 1 },
      ...{ status: 'failed', status_reason: 'timeout', duration_us: 37, scores: [] },
      ...{ scheduled_at: null, started_at: null, next_attempt_at: null },
      evaluated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    }
  ])
})

test('shows a replay and the run it repeats, and counts the result of the replay', async () => {
  const decision = ours()
  for (const generation of [0, 1]) {
    const scores = [aScore({ name: 'refusal', passed: generation === 1 })]
    await storeRun(scene.database, decision, aRun({ evaluator: 'refusal', generation, scores }))
  }
  const { body } = await scene.get<{ runs: object[] }>(`/v1/evaluation/${decision.decision_id}`)
  expect(body).toMatchObject({ status: 'evaluated', verdict: 'pass', progress: { planned: 1 } })
  expect(body.runs).toHaveLength(2)
})

test('shows the status of each run, to sessions and to keys', async () => {
  const decision = ours()
  const path = `/v1/evaluation/${decision.decision_id}`
  await storeDecision(scene.database, decision)

  const score = aScore({ name: 'length', data_type: 'numeric', value: 0.25, passed: false })
  const runs = [
    aRun({ evaluator: 'a', scores: [score, aScore({ name: 'words', value: null, label: 'few' })] }),
    aRun({ evaluator: 'b', status: 'skipped', status_reason: 'input_not_json', scores: [] })
  ]
  for (const run of runs) await storeRun(scene.database, decision, run)
  for (const credential of [scene.token, scene.apiKey]) {
    const { status, body } = await scene.get(path, credential)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      decision_id: decision.decision_id,
      status: 'evaluated',
      reason: null,
      verdict: 'mixed',
      progress: { planned: 2, succeeded: 1, failed: 0, skipped: 1, pending: 0 },
      plan: [
        { rule: 'default', evaluator: 'a', outcome: 'succeeded', reason: null },
        { rule: 'default', evaluator: 'b', outcome: 'skipped', reason: 'input_not_json' }
      ],
      runs: [
        { run_id: runs[0]?.run_id, scores: ['length', 'words'] },
        { run_id: runs[1]?.run_id, scores: [] }
      ],
      scores: { length: { value: 0.25, passed: false }, words: { value: null, label: 'few' } }
    })
  }
})

test('shows the plan of each rule, and the status of pending runs', async () => {
  const decision = ours()
  const path = `/v1/evaluation/${decision.decision_id}`
  await storeRuleSet(scene.database, scene.organizationId, { version: 1, names: [...'abcd'] })
  const outcomes = ['planned', 'planned', 'sampled_out', 'domain']
  await storePlan(scene.database, decision, { version: 1, outcomes, runs: 2 })
  expect((await scene.get(path)).body).toMatchObject({
    status: 'pending',
    progress: { planned: 2, pending: 2 },
    plan: [
      { rule: 'a', evaluator: 'a', outcome: 'scheduled', run_id: null, evaluator_version: 1 },
      { rule: 'b', evaluator: 'b', outcome: 'scheduled', run_id: null },
      { rule: 'c', evaluator: null, outcome: 'skipped', reason: 'sampled_out' },
      { rule: 'd', evaluator: null, outcome: 'not_matched', reason: 'domain' }
    ]
  })

  const blocked = { status: 'blocked', status_reason: 'provider_billing' }
  const { run_id } = await storePendingRun(scene.database, decision, blocked)
  const ids = { rule: 'b', rule_id: 'rul_b', evaluator: 'b', evaluator_id: 'evl_b' }
  const ended = aRun({ ...ids, scores: [aScore({ name: 'b', passed: false, value: 0 })] })
  await storePendingRun(scene.database, decision, finished(ended))
  const open = {
    status: 'evaluating',
    reason: 'provider_billing',
    verdict: 'fail',
    progress: { planned: 2, succeeded: 1, pending: 1, blocked: 1 },
    plan: [{ outcome: 'blocked', run_id }, { outcome: 'succeeded' }, {}, {}],
    scores: { b: { passed: false, effective_value: 0, evaluator_id: 'evl_b' } }
  }
  expect((await scene.get(path)).body).toMatchObject(open)

  // While its result is being stored, a run exists in two tables, but it is shown only once.
  await storeRun(scene.database, decision, ended)
  const both = (await scene.get<{ runs: object[] }>(path)).body
  expect(both).toMatchObject(open)
  expect(both.runs).toHaveLength(2)
})

test('counts a human score before that of an evaluator, and shows both', async () => {
  const decision = ours()
  await storeDecision(scene.database, decision)
  const machine = aScore({ name: 'polite', value: 1, passed: true })
  await storeRun(scene.database, decision, aRun({ evaluator: 'polite', scores: [machine] }))
  const human = aScore({ name: 'polite', value: 0, passed: false, source_kind: 'human' })
  const push = { rule: 'push', rule_id: 'push', evaluator: 'polite', evaluator_kind: 'human' }
  await storePendingRun(scene.database, decision, finished(aRun({ ...push, scores: [human] })))
  expect((await scene.get(`/v1/evaluation/${decision.decision_id}`)).body).toMatchObject({
    status: 'evaluated',
    verdict: 'fail',
    progress: { planned: 1, succeeded: 1 },
    scores: {
      polite: {
        ...{ source_kind: 'evaluator', value: 1, passed: true },
        ...{ effective_value: 0, effective_passed: false, effective_source: 'human' },
        other_sources: { human: { value: 0, passed: false, rule_id: 'push' } }
      }
    }
  })
})

test('waits for the runs in one call', async () => {
  const decision = ours()
  await storeDecision(scene.database, decision)
  const before = scene.statementTexts.length
  const waiting = scene.get(`/v1/evaluation/${decision.decision_id}?wait=30`, scene.apiKey)
  await waitUntil('its plan is read', () =>
    scene.statementTexts
      .slice(before)
      .some((statement) => statement.includes('from evaluation_plans'))
  )
  await storeRun(scene.database, decision, aRun())
  expect((await waiting).body).toMatchObject({ status: 'evaluated' })
})

test('does not reveal to another organization that the id exists', async () => {
  const decision = ours()
  await storeDecision(scene.database, decision)
  await storeRun(scene.database, decision, aRun())
  const path = `/v1/evaluation/${decision.decision_id}`
  const foreign = await scene.get(path, scene.foreignToken)
  const unknown = await scene.get(`/v1/evaluation/${randomUUID()}`)
  for (const { status, headers, body } of [foreign, unknown]) {
    expect([status, body['code'], body['retryable']]).toEqual([404, 'decision_not_found', true])
    expect(headers.get('retry-after')).toBe('1')
  }
  expect(Object.keys(foreign.body)).toEqual(Object.keys(unknown.body))
})

test('returns 401 without or with an invalid credential', async () => {
  const path = `/v1/evaluation/${randomUUID()}`
  const none = await fetch(`${scene.url}${path}`)
  expect([none.status, none.headers.get('www-authenticate')]).toEqual([
    401,
    'Bearer realm="sluice"'
  ])
  expect((await scene.get(path, 'slk_test_other')).body['code']).toBe('api_key_malformed')
  expect((await scene.get(path, 'other')).body['code']).toBe('session_invalid')
})
