/** The evaluation of one decision: what was planned, what became of it, and why. */
import { expect, test } from '@jest/globals'
import { createReadEvaluation } from '../../../../api/results/read-evaluation.ts'
import { createReadEvaluations } from '../../../../api/read-evaluations.ts'
import { checkedCallOf, clock, createEagerPoll, decisionId } from '../fakes.ts'
import { FakeStore, now, organizationId, person, problemOf } from '../fakes.ts'
import { decisionRow, runRow, scoredRunRow } from '../samples.ts'

const noProgress = {
  ...{ planned: 0, succeeded: 0, failed: 0, skipped: 0, pending: 0 },
  ...{ blocked: 0, expired: 0, canceled: 0 }
}

function createScene(readsMax = 1) {
  const store = new FakeStore()
  const readEvaluation = createReadEvaluation({
    store,
    poll: createEagerPoll(readsMax),
    readEvaluations: createReadEvaluations(),
    decisionsTopic: 'agent-decisions',
    clock
  })
  const read = (query: object = {}, of = person) =>
    readEvaluation(
      checkedCallOf(of, {
        params: { decision_id: decisionId.toUpperCase() },
        query: { wait: 0, until: 'evaluated', ...query }
      })
    )
  return { store, read }
}

test('a stored decision without runs is pending, and says why', async () => {
  const { store, read } = createScene()
  store.rows['decisions'] = [decisionRow]
  expect(JSON.parse((await read()).body)).toEqual({
    decision_id: decisionId,
    status: 'pending',
    reason: 'not_planned_yet',
    verdict: 'none',
    progress: noProgress,
    plan: [],
    runs: [],
    scores: {},
    updated_at: '2026-01-31T12:00:00.070Z'
  })
})

test('tells for each rule what became of it', async () => {
  const { store, read } = createScene()
  store.rows['decisions'] = [decisionRow]
  const skipped = { evaluator: 'json', run_id: 'b', status: 'skipped', status_reason: 'not_asked' }
  const failed = { evaluator: 'slow', run_id: 'c', status: 'failed', status_reason: 'timeout' }
  store.rows['evaluation_runs'] = [
    scoredRunRow('refusal', true),
    runRow(skipped),
    runRow({ ...failed, stored_at: new Date(now + 5000) })
  ]
  const answer = JSON.parse((await read()).body) as Record<string, unknown>
  expect(answer).toMatchObject({
    status: 'partial',
    reason: 'timeout',
    verdict: 'pass',
    progress: { planned: 3, succeeded: 1, failed: 1, skipped: 1, pending: 0 },
    updated_at: '2026-01-31T12:00:05.000Z'
  })
  expect(answer['plan']).toMatchObject([
    { rule: 'default', evaluator: 'refusal', outcome: 'succeeded', reason: null },
    { rule: 'default', evaluator: 'json', outcome: 'skipped', reason: 'not_asked' },
    { rule: 'default', evaluator: 'slow', outcome: 'failed', reason: 'timeout' }
  ])
  expect(answer['runs']).toContainEqual({
    run_id: '0d7c1f3a-52cb-5b9e-8f1e-0c7a3d9b1e44',
    rule_id: null,
    rule: 'default',
    evaluator_id: null,
    evaluator: 'refusal',
    evaluator_kind: 'heuristic',
    evaluator_version: 1,
    generation: 0,
    replay_of: null,
    superseded_by: null,
    status: 'succeeded',
    status_reason: null,
    attempts: 1,
    duration_us: 12,
    scheduled_at: null,
    started_at: null,
    next_attempt_at: null,
    evaluated_at: '2026-01-31T12:00:00.300Z',
    scores: ['refusal']
  })
})

test('a replay counts instead of what it repeats, which is still shown', async () => {
  const { store, read } = createScene()
  store.rows['evaluation_runs'] = [
    scoredRunRow('refusal', false),
    scoredRunRow('refusal', true, { run_id: 'b', generation: 1 })
  ]
  const answer = JSON.parse((await read()).body) as { runs: object[]; plan: object[] }
  expect(answer).toMatchObject({ status: 'evaluated', verdict: 'pass' })
  expect([answer.plan.length, answer.runs.length]).toEqual([1, 2])
})

const planRow = {
  organization_id: organizationId,
  decision_id: decisionId,
  rule_set_version: 3,
  outcomes: ['planned', 'sampled_out', 'domain'],
  planned_at: new Date(now + 10)
}

function ruleSetRow(...names: string[]) {
  const rules = names.map((name) => ({
    ...{ rule_id: `rul_${name}`, name },
    evaluators: [{ evaluator_id: `evl_${name}`, name, version: 2 }]
  }))
  return {
    ...{ organization_id: organizationId, version: 3 },
    content: JSON.stringify({ version: 3, rules })
  }
}

test('every rule of the plan says what it made of the decision', async () => {
  const { store, read } = createScene()
  store.rows['evaluation_plans'] = [planRow]
  store.rows['rule_sets'] = [ruleSetRow('a', 'b', 'c')]
  const before = JSON.parse((await read()).body) as Record<string, unknown>
  expect(before).toMatchObject({
    status: 'pending',
    progress: { ...noProgress, planned: 1, pending: 1 },
    plan: [
      { rule_id: 'rul_a', evaluator_id: 'evl_a', evaluator_version: 2, outcome: 'scheduled' },
      { rule_id: 'rul_b', evaluator: null, outcome: 'skipped', reason: 'sampled_out' },
      { rule_id: 'rul_c', evaluator: null, outcome: 'not_matched', reason: 'domain' }
    ]
  })
  const ids = { rule_id: 'rul_a', evaluator_id: 'evl_a', stored_at: null, evaluated_at: null }
  const open = { ...ids, status: 'blocked', status_reason: 'provider_auth', score_id: null }
  store.rows['evaluation_runs'] = [runRow(open)]
  expect(JSON.parse((await read()).body)).toMatchObject({
    status: 'pending',
    reason: 'provider_auth',
    progress: { ...noProgress, planned: 1, pending: 1, blocked: 1 },
    plan: [{ outcome: 'blocked', reason: 'provider_auth' }, {}, {}]
  })
})

test.each([
  ['one reason', ['sampled_out', 'sampled_out', 'sampled_out'], 'sampled_out'],
  ['nothing that matches', ['domain', 'agent_id', 'metadata'], 'not_matched'],
  ['several reasons', ['domain', 'disabled', 'budget_exhausted'], 'several_reasons']
])('a plan without runs is not evaluated, for %s', async (_, outcomes, reason) => {
  const { store, read } = createScene()
  store.rows['evaluation_plans'] = [{ ...planRow, outcomes }]
  store.rows['rule_sets'] = [ruleSetRow('a', 'b', 'c')]
  expect(JSON.parse((await read()).body)).toMatchObject({ status: 'not_evaluated', reason })
})

test('runs that came before their decision are shown', async () => {
  const { store, read } = createScene()
  store.rows['evaluation_runs'] = [scoredRunRow('refusal', true)]
  expect(JSON.parse((await read()).body)).toMatchObject({ status: 'evaluated' })
})

test('waits until the decision is evaluated', async () => {
  const { store, read } = createScene(5)
  store.rows['decisions'] = [decisionRow]
  const query = store.query.bind(store)
  let reads = 0
  store.query = async (statement, values) => {
    reads += statement.includes('evaluation_runs') ? 1 : 0
    if (reads === 3) store.rows['evaluation_runs'] = [scoredRunRow('refusal', true)]
    return (await query(statement, values)) as never
  }
  expect(JSON.parse((await read({ wait: 5 })).body)).toMatchObject({ status: 'evaluated' })
  expect(reads).toBe(3)
})

test('neither an unknown id nor one of another organization is found', async () => {
  const { store, read } = createScene()
  store.rows['storage_progress'] = [{ as_of: new Date(now - 1) }]
  const unknown = await problemOf(read())
  store.rows['decisions'] = [decisionRow]
  store.rows['evaluation_runs'] = [scoredRunRow('refusal', true)]
  const organization_id = '01938c4e-9999-7000-8000-5b7a9f002f6d'
  const foreign = await problemOf(read({}, { ...person, organization_id }))
  expect(unknown.code).toBe('decision_not_found')
  expect(foreign.options).toEqual(unknown.options)
  expect(unknown.options.members).toMatchObject({ retryable: true, lag_ms: 1 })
})
