/** GET /v1/evaluation/{decision_id} over HTTP and a real store. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { aDecision, aRun, aScore } from '../../support/builders.ts'
import { createScene, storeDecision, storeRun } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene

beforeAll(async () => {
  scene = await createScene()
})

function ours() {
  return aDecision({ organization_id: scene.organizationId, output: '"fine"' })
}

test('tells for each run what became of it, to sessions and to keys', async () => {
  const decision = ours()
  const path = `/v1/evaluation/${decision.decision_id}`
  await storeDecision(scene.database, decision)
  expect((await scene.get(path)).body).toMatchObject({ status: 'pending', plan: [], scores: {} })

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

test('waits for the runs without being asked twice', async () => {
  const decision = ours()
  await storeDecision(scene.database, decision)
  const waiting = scene.get(`/v1/evaluation/${decision.decision_id}?wait=30`, scene.apiKey)
  await storeRun(scene.database, decision, aRun())
  expect((await waiting).body).toMatchObject({ status: 'evaluated' })
})

test('another organization learns nothing', async () => {
  const decision = ours()
  await storeDecision(scene.database, decision)
  await storeRun(scene.database, decision, aRun())
  const path = `/v1/evaluation/${decision.decision_id}`
  const { status, body } = await scene.get(path, scene.foreignToken)
  expect([status, body['code']]).toEqual([404, 'decision_not_found'])
})

test('without a credential, or with a wrong one, it is 401', async () => {
  const path = `/v1/evaluation/${randomUUID()}`
  const none = await fetch(`${scene.url}${path}`)
  expect([none.status, none.headers.get('www-authenticate')]).toEqual([
    401,
    'Bearer realm="sluice"'
  ])
  expect((await scene.get(path, 'slk_test_other')).body['code']).toBe('api_key_invalid')
  expect((await scene.get(path, 'other')).body['code']).toBe('session_invalid')
})
