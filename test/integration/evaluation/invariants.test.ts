/** Tests the invariants of evaluation runs with real processes, a real topic and an HTTP judge. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { evaluationStateOf } from '../../../core/evaluation/evaluation-status.ts'
import { onEnd } from '../../support/cleanup.ts'
import { startJudgeServer } from '../../support/judge-server.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { startWebhookReceiver } from '../../support/webhook-receiver.ts'
import { callsMax, createJudgedScene } from './judged-scene.ts'
import type { JudgedScene } from './judged-scene.ts'
import { createWebhookScene } from './webhook-scene.ts'

let scene: JudgedScene

beforeAll(async () => {
  scene = await createJudgedScene()
}, 120_000)

const succeeded = { status: 'succeeded', status_reason: null, attempts: 1, scores: 1 }
/** Time for a lease to expire, a maintenance round to run, and the run to end. */
const lapseMs = 90_000

test('1. a run ends once, with its scores and details', async () => {
  const ids = await scene.decide(20)
  const runs = await scene.allStored(ids)
  expect(runs).toHaveLength(ids.length)
  expect(runs).toEqual(ids.map(() => expect.objectContaining(succeeded)))
  for (const { run_id } of runs) expect(scene.judge.callsOf(run_id)).toBe(1)
  expect(await scene.rows('run_attempts', ids)).toHaveLength(ids.length)
  await waitUntil(
    'no run is pending',
    async () => (await scene.rows('pending_runs', ids)).length === 0
  )
})

test('2. a redelivered decision calls no judge and creates no run', async () => {
  const decision_id = randomUUID()
  const body = { decision_id, agent_id: 'one', session_id: null }
  await scene.decide(1, body)
  const [run] = await scene.allStored([decision_id])
  await scene.decide(1, body)
  await scene.decide(1, body)
  // This decision has the same agent and thus the same partition, so it is consumed after the
  // redelivered decision.
  const sentinel = await scene.decide(1, { agent_id: 'one', session_id: null })
  await scene.allStored(sentinel)
  expect(await scene.stored([decision_id])).toEqual([run])
  expect(scene.judge.callsOf(run?.run_id ?? '')).toBe(1)
})

test('3. a grade off the scale fails its run, instead of succeeding without a score', async () => {
  scene.judge.script({ grade: 99 })
  const ids = await scene.decide(1)
  const [run] = await scene.allStored(ids)
  expect(run).toMatchObject({ status: 'failed', status_reason: 'out_of_range', scores: 0 })
})

test('4. a run that will be retried counts as pending, not as failed', async () => {
  scene.judge.script('server_error', 'server_error', 'server_error')
  const ids = await scene.decide(1)
  const waiting = await waitUntil('it waits', async () => {
    const [row] = await scene.rows('pending_runs', ids)
    return row?.['status'] === 'retrying' && row
  })
  expect(waiting['status_reason']).toBe('provider_error')
  expect(await scene.stored(ids)).toEqual([])
  const state = { status: 'retrying', status_reason: 'provider_error' }
  expect(evaluationStateOf([state]).status).toBe('pending')
  const [run] = await scene.allStored(ids, 60_000)
  expect(run).toMatchObject({ status: 'succeeded', attempts: 4, scores: 1 })
})

test('5. while a connection is unavailable its runs wait without attempts', async () => {
  const { port } = scene.judge
  await scene.judge.close()
  const ids = await scene.decide(30)
  const states = async (): Promise<Set<unknown>> =>
    new Set((await scene.rows('pending_runs', ids)).map(({ status }) => status))
  await waitUntil(
    'all wait for the connection',
    async () => {
      const rows = await scene.rows('pending_runs', ids)
      return rows.length === ids.length && rows.every(({ status }) => status === 'blocked')
    },
    60_000
  )
  expect(await states()).toEqual(new Set(['blocked']))
  const back = await startJudgeServer({ port })
  onEnd(() => back.close())
  const runs = await scene.allStored(ids, 60_000)
  expect(runs.map(({ status }) => status)).toEqual(ids.map(() => 'succeeded'))
  expect(runs).toHaveLength(ids.length)
  // Number of attempts that failed before the circuit opened.
  const burned = runs.reduce((sum, { attempts }) => sum + attempts - 1, 0)
  expect(burned).toBeLessThan(5)
  for (const { run_id } of runs) expect(back.callsOf(run_id)).toBe(1)
  scene = { ...scene, judge: back }
})

test('9. judge calls are never planned or evaluated', async () => {
  const ids = await scene.decide(1, { metadata: { 'sluice.evaluation': true } })
  const [plan] = await waitUntil('it is planned', async () => {
    const rows = await scene.rows('evaluation_plans', ids)
    return rows.length > 0 && rows
  })
  expect(plan).toMatchObject({ outcomes: ['loop_guard'], runs: 0 })
  const before = scene.judge.calls.length
  await scene.installation.database.query(
    `insert into pending_runs (organization_id, decision_id, run_id, rule_id, rule, evaluator_id,
                            evaluator, evaluator_kind, evaluator_version, connection_id,
                            received_at, status, expires_at)
     select organization_id, decision_id, gen_random_uuid(), 'rul_1', 'by hand', 'evl_1', 'quality',
            'llm_judge', 1, 'con_1', received_at, 'scheduled', now() + interval '1 hour'
       from evaluation_plans where decision_id = $1`,
    ids
  )
  const [run] = await scene.allStored(ids)
  expect(run).toMatchObject({ status: 'skipped', status_reason: 'loop_guard', attempts: 0 })
  expect(scene.judge.calls).toHaveLength(before)
})

test('10. a decision that is erased during its judge call leaves no run and no score', async () => {
  scene.judge.hold()
  const ids = await scene.decide(1)
  await waitUntil('its judge is called', () => scene.judge.open() === 1)
  const [id = ''] = ids
  await waitUntil('it is stored', async () => (await scene.rows('decisions', ids)).length === 1)
  const { organization_id } = scene.tenant
  const which = ['--organization', organization_id, '--decision', id]
  const asked = ['--execute', '--reason', 'asked', '--by', 'test']
  await scene.installation.sluice('erase', ...which, ...asked)
  expect(await scene.rows('pending_runs', ids)).toEqual([])
  scene.judge.release()
  await scene.allStored(await scene.decide(1))
  for (const table of ['pending_runs', 'evaluation_runs', 'scores', 'run_attempts', 'decisions']) {
    expect(await scene.rows(table, ids)).toEqual([])
  }
})

test('a process killed during calls repeats those calls, and no others', async () => {
  const before = scene.judge.calls.length
  scene.judge.hold()
  const ids = await scene.decide(40)
  await waitUntil('the maximum number of calls is under way', () => scene.judge.open() === callsMax)
  const underWay = new Set(scene.judge.calls.slice(before).map(({ run_id }) => run_id))
  await scene.evaluation.kill()
  scene.judge.release()
  const evaluation = await scene.startEvaluation()
  const runs = await scene.allStored(ids, lapseMs)
  expect(runs).toHaveLength(ids.length)
  const attempts = await scene.rows('run_attempts', ids)
  for (const run of runs) {
    const times = underWay.has(run.run_id) ? 2 : 1
    expect(run).toMatchObject({ status: 'succeeded', attempts: times, scores: 1 })
    expect(scene.judge.callsOf(run.run_id)).toBe(times)
    expect(attempts.filter(({ run_id }) => run_id === run.run_id)).toHaveLength(times)
  }
  scene = { ...scene, evaluation }
}, 150_000)

test('a stopping process releases its unfinished runs at once', async () => {
  scene.judge.hold()
  const ids = await scene.decide(3)
  await waitUntil('they are called', () => scene.judge.open() === ids.length)
  expect(await scene.evaluation.stop()).toBe(0)
  const open = await scene.rows('pending_runs', ids)
  expect(open).toHaveLength(ids.length)
  for (const row of open) expect(row).toMatchObject({ status: 'scheduled', attempts: 0 })
  scene.judge.release()
  const evaluation = await scene.startEvaluation()
  scene = { ...scene, evaluation }
  const runs = await scene.allStored(ids)
  expect(runs).toEqual(ids.map(() => expect.objectContaining(succeeded)))
  const attempts = await scene.rows('run_attempts', ids)
  expect(attempts.filter(({ counted }) => counted === false)).toHaveLength(ids.length)
})

test('a stopping process begins no calls while a webhook waits for its receiver', async () => {
  await scene.evaluation.stop()
  const evaluation = await scene.startEvaluation({ LOG_LEVEL: 'debug' })
  const { database, environment } = scene.installation
  const webhooks = createWebhookScene(database, environment['SECRETS_KEY'] ?? '')
  const receiver = await startWebhookReceiver()
  receiver.answer('/silent', () => {})
  const before = scene.judge.calls.length
  scene.judge.hold()
  await scene.decide(3 * callsMax)
  await waitUntil('the maximum number of calls is under way', () => scene.judge.open() === callsMax)
  await webhooks.aDelivery(await webhooks.aWebhook(`${receiver.url}/silent`))
  await waitUntil('the webhook is being sent', () => receiver.at('/silent').length > 0)
  const stopped = evaluation.stop()
  // Shutdown stops deferred decisions immediately before the worker and the webhooks.
  await waitUntil('deferred decisions have stopped', () =>
    evaluation.log().includes('"step":"deferred decisions"')
  )
  scene.judge.release()
  await stopped
  expect(scene.judge.calls.length - before).toBe(callsMax)
})
