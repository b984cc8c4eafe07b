/** Tests how the view of an evaluation is computed from its plan and runs. */
import { expect, test } from '@jest/globals'
import { evaluationViewOf } from '../../../api/evaluation-view.ts'
import type { EvaluationRun } from '../../../api/evaluation-run.ts'
import { aScore } from '../../support/builders.ts'
import { now, runOf } from './samples.ts'

const planned_at = new Date(now)

/** Returns a plan with one rule per outcome. Each rule has one evaluator. */
function planOf(...outcomes: string[]) {
  const rules = outcomes.map((outcome, index) => ({
    ...{ rule_id: `rul_${index}`, name: `rule ${index}`, outcome },
    evaluators: [{ evaluator_id: `evl_${index}`, name: `evaluator ${index}`, version: 2 }]
  }))
  return { planned_at, rules }
}

function scored(name: string, passed: boolean, members: Partial<EvaluationRun> = {}) {
  return runOf({ scores: [{ ...aScore({ name, passed }), source_kind: 'evaluator' }], ...members })
}

test('a failed run among others makes the evaluation partial, with its reason', () => {
  const runs = [
    scored('refusal', true),
    runOf({ evaluator: 'json', status: 'skipped', status_reason: 'not_asked' }),
    runOf({ evaluator: 'slow', status: 'failed', status_reason: 'timeout' })
  ]
  expect(evaluationViewOf({ plan: null, runs })).toMatchObject({
    ...{ status: 'partial', reason: 'timeout', verdict: 'pass' },
    progress: { planned: 3, succeeded: 1, failed: 1, skipped: 1, pending: 0 },
    plan: [
      { rule: 'default', evaluator: 'refusal', outcome: 'succeeded', reason: null },
      { rule: 'default', evaluator: 'json', outcome: 'skipped', reason: 'not_asked' },
      { rule: 'default', evaluator: 'slow', outcome: 'failed', reason: 'timeout' }
    ]
  })
})

test('a replay replaces the result of the run it repeats', () => {
  const runs = [scored('refusal', false), scored('refusal', true, { generation: 1 })]
  const view = evaluationViewOf({ plan: null, runs })
  expect(view).toMatchObject({ status: 'evaluated', verdict: 'pass' })
  expect(view.plan).toHaveLength(1)
})

test('every rule of the plan has an entry, with the version it planned', () => {
  const plan = planOf('planned', 'sampled_out', 'domain')
  expect(evaluationViewOf({ plan, runs: [] })).toMatchObject({
    status: 'pending',
    progress: { planned: 1, pending: 1 },
    plan: [
      { rule_id: 'rul_0', evaluator_id: 'evl_0', evaluator_version: 2, outcome: 'scheduled' },
      { rule_id: 'rul_1', evaluator: null, outcome: 'skipped', reason: 'sampled_out' },
      { rule_id: 'rul_2', evaluator: null, outcome: 'not_matched', reason: 'domain' }
    ]
  })
  const blocked = { status: 'blocked', status_reason: 'provider_auth' }
  const runs = [runOf({ rule_id: 'rul_0', evaluator_id: 'evl_0', ...blocked })]
  expect(evaluationViewOf({ plan, runs })).toMatchObject({
    ...{ status: 'pending', reason: 'provider_auth' },
    progress: { planned: 1, pending: 1, blocked: 1 },
    plan: [{ outcome: 'blocked', reason: 'provider_auth' }, {}, {}]
  })
})

test.each([
  ['one reason', ['sampled_out', 'sampled_out', 'sampled_out'], 'sampled_out'],
  ['nothing that matches', ['domain', 'agent_id', 'metadata'], 'not_matched'],
  ['several reasons', ['domain', 'disabled', 'budget_exhausted'], 'several_reasons']
])('a plan without runs is not evaluated, for %s', (_, outcomes, reason) => {
  const view = evaluationViewOf({ plan: planOf(...outcomes), runs: [] })
  expect(view).toMatchObject({ status: 'not_evaluated', reason })
})

test('shows the later of two scores with the same name, for any name', () => {
  const later = { run_id: 'b', evaluator: 'other', evaluated_at: new Date(now + 900) }
  const { scores, verdict } = evaluationViewOf({
    plan: null,
    runs: [
      scored('a', true, later),
      scored('a', false),
      scored('__proto__', true, { evaluator: 'third' })
    ]
  })
  expect(Object.keys(scores).toSorted()).toEqual(['__proto__', 'a'])
  expect([scores['a']?.passed, scores['a']?.run_id, verdict]).toEqual([true, 'b', 'pass'])
})
