/** Tests GET /v1/evaluation/health over HTTP with a real database: lost runs, the backlog, circuits
 * and spending.
 */
import { beforeEach, expect, test } from '@jest/globals'
import { countedMax } from '../../../api/results/read-health.ts'
import { aDecision, aRun } from '../../support/builders.ts'
import { finished, storePendingRun, storePlan } from './pending-runs.ts'
import { createScene, evaluationsTopic, reportProgress, storeRun } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene

beforeEach(async () => {
  scene = await createScene()
})

const path = '/v1/evaluation/health'
const minuteMs = 60_000
const ago = (minutes: number): Date => new Date(Date.now() - minutes * minuteMs)

function ours() {
  return aDecision({ organization_id: scene.organizationId })
}

test('reports nothing for an organization without data', async () => {
  const { status, body } = await scene.get(path, scene.apiKey)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    ...{ as_of: null, backlog: 0, oldest_pending_s: null, circuits: [] },
    spend_today: { calls: 0, unpriced_calls: 0, usd: 0 },
    conservation: { planned: 0, difference: 0, in_flight: 0 }
  })
})

test('accounts for every planned run until one is lost', async () => {
  const [old, other, young] = [ours(), ours(), ours()]
  const plan = { version: 0, outcomes: ['planned'], runs: 4 }
  await storePlan(scene.database, old, { ...plan, planned_at: ago(10) })
  await storePlan(scene.database, other, { ...plan, runs: 1, planned_at: ago(10) })
  await storePlan(scene.database, young, { ...plan, planned_at: ago(1) })
  await reportProgress(scene.database, ago(5), evaluationsTopic)
  const gone = aRun({ evaluator: 'a' })
  await storeRun(scene.database, old, gone)
  await storeRun(scene.database, old, aRun({ evaluator: 'b', status: 'failed' }))
  await storePendingRun(scene.database, old, { status: 'blocked' })
  const twice = aRun({ evaluator: 'c' })
  await storeRun(scene.database, old, twice)
  await storePendingRun(scene.database, old, finished(twice))
  // These runs were not planned, so they do not make up for a missing planned run.
  await storeRun(scene.database, old, aRun({ evaluator: 'b', generation: 1 }))
  await storePendingRun(scene.database, old, finished(aRun({ rule: 'push', rule_id: 'push' })))
  for (const evaluator of ['a', 'b']) await storeRun(scene.database, other, aRun({ evaluator }))

  const conservation = async () => (await scene.get(path)).body['conservation']
  const whole = {
    ...{ planned: 9, in_flight: 4, difference: 0, replays: 1, pushed: 1 },
    accounted: { succeeded: 4, failed: 1, skipped: 0, expired: 0, canceled: 0, open: 1 }
  }
  expect(await conservation()).toMatchObject(whole)
  await scene.database.query('delete from later_runs where run_id = $1', [gone.run_id])
  expect(await conservation()).toMatchObject({
    ...{ planned: 9, in_flight: 4, difference: 1 },
    accounted: { succeeded: 3, failed: 1, open: 1 }
  })
  await reportProgress(scene.database, ago(0), evaluationsTopic)
  expect(await conservation()).toMatchObject({ in_flight: 0, difference: 5 })
})

test('reports the backlog, the circuits of providers, and the spend of today', async () => {
  await storePendingRun(scene.database, ours(), { scheduled_at: ago(3) })
  await storePendingRun(scene.database, ours(), { status: 'blocked', scheduled_at: ago(2) })
  await storePendingRun(scene.database, ours(), { ...finished(aRun()), scheduled_at: ago(9) })
  await storePendingRun(scene.database, aDecision())
  for (const [id, name] of [
    ['con_a', 'a'],
    ['con_b', 'b']
  ]) {
    await scene.database.query(
      `insert into evaluation_connections (organization_id, connection_id, name, kind, base_url)
       values ($1, $2, $3, 'openai_compatible', 'https://example.com')`,
      [scene.organizationId, id, name]
    )
  }
  await scene.database.query(
    `insert into connection_circuits (organization_id, connection_id, state, reason)
     values ($1, 'con_b', 'open', 'provider_billing')`,
    [scene.organizationId]
  )
  await scene.database.query(
    `insert into evaluation_spend (organization_id, rule_id, evaluator_id, day, calls, nano_usd,
                                   unpriced_calls)
     select $1, 'r', 'e', (now() at time zone 'utc')::date - back, 10, 1500000000, 1
       from generate_series(0, 1) back`,
    [scene.organizationId]
  )
  const { body } = await scene.get(path)
  expect(body).toMatchObject({
    backlog: 2,
    by_status: { scheduled: 1, running: 0, retrying: 0, blocked: 1, finished: 1 },
    circuits: [
      { connection: 'a', state: 'closed', since: null },
      { connection: 'b', state: 'open', reason: 'provider_billing', since: expect.any(String) }
    ],
    spend_today: { calls: 10, unpriced_calls: 1, usd: 1.5 }
  })
  expect(body['oldest_pending_s']).toBeGreaterThanOrEqual(180)
  const foreign = (await scene.get(path, scene.foreignToken)).body
  expect(foreign).toMatchObject({ backlog: 0, circuits: [], spend_today: { calls: 0 } })
})

test('reports the oldest pending run even if there are more runs than it counts', async () => {
  await scene.database.query(
    `insert into pending_runs (organization_id, decision_id, run_id, rule_id, rule, evaluator_id,
                               evaluator, evaluator_kind, evaluator_version, received_at, status,
                               max_attempts, expires_at)
     select $1, gen_random_uuid(), gen_random_uuid(), 'r', 'r', 'e', 'e', 'external', 1, now(),
            'scheduled', 8, now() + interval '1 day'
       from generate_series(1, $2::integer)`,
    [scene.organizationId, countedMax]
  )
  await storePendingRun(scene.database, ours(), { scheduled_at: ago(60) })
  const { body } = await scene.get(path)
  expect(body).toMatchObject({ backlog: countedMax })
  expect(body['oldest_pending_s']).toBeGreaterThanOrEqual(3600)
})
