/** Tests the outcome of a decision's runs. Storage tests check that readers see the same outcome.
 */
import { expect, test } from '@jest/globals'
import { outcomeOf, summedValueMax } from '../../../../core/evaluation/decision-outcome.ts'
import type { EndedOutcomeRun, OutcomeScore } from '../../../../core/evaluation/decision-outcome.ts'
import { pushRuleId } from '../../../../core/evaluation/rule.ts'

function aScore(overrides: Partial<OutcomeScore> = {}): OutcomeScore {
  const bare = { label: null, value: 1, passed: true, source_kind: 'evaluator' }
  return { score_id: 'a', name: 'polite', ...bare, ...overrides }
}

function anEnded(overrides: Partial<EndedOutcomeRun> = {}): EndedOutcomeRun {
  return {
    ...{ rule: 'r', rule_id: 'rul_1', evaluator: 'e', evaluator_id: 'evl_1' },
    ...{ evaluator_version: 2, generation: 0, status: 'succeeded', status_reason: null },
    ...{ evaluated_at: 10, scores: [aScore()] },
    ...overrides
  }
}

const counted = {
  ...{ name: 'polite', source_kind: 'evaluator', evaluator_id: 'evl_1', evaluator_version: 2 },
  ...{ value: 1, passed: true }
}

test('derives the outcome from the only planned run', () => {
  const plan = { runs: 1, outcomes: ['planned', 'domain'] }
  expect(outcomeOf({ plan, ended: [anEnded()], open: [] })).toEqual({
    ...{ status: 'evaluated', reason: null, verdict: 'pass' },
    scores: { polite: { value: 1, label: null, passed: true } },
    counted: [counted]
  })
})

test.each([
  ['no plan and no runs', null, [], ['pending', 'not_planned_yet']],
  ['no rule', { runs: 0, outcomes: [] }, [], ['not_evaluated', 'no_rule']],
  [
    'no rule matched',
    { runs: 0, outcomes: ['domain', 'agent_id'] },
    [],
    ['not_evaluated', 'not_matched']
  ],
  ['left out', { runs: 0, outcomes: ['sampled_out'] }, [], ['not_evaluated', 'sampled_out']],
  ['both', { runs: 0, outcomes: ['domain', 'disabled'] }, [], ['not_evaluated', 'several_reasons']],
  ['none of two', { runs: 2, outcomes: ['planned'] }, [], ['pending', null]],
  ['one of two', { runs: 2, outcomes: ['planned'] }, [anEnded()], ['evaluating', null]],
  ['without a plan', null, [anEnded()], ['evaluated', null]]
])('%s', (_, plan, ended, [status, reason]) => {
  expect(outcomeOf({ plan, ended, open: [] })).toMatchObject({ status, reason })
})

test('a pending replay replaces the run it repeats', () => {
  const { evaluated_at, scores, ...running } = anEnded({ generation: 1, status: 'running' })
  const ended = [anEnded({ evaluated_at, scores })]
  const outcome = outcomeOf({ plan: null, ended, open: [running] })
  expect(outcome).toMatchObject({ status: 'evaluating', verdict: 'none', scores: {}, counted: [] })
})

test('a human score is effective, and both scores are counted', () => {
  const corrected = aScore({ score_id: 'b', value: 0, passed: false, source_kind: 'human' })
  const push = anEnded({
    ...{ rule: pushRuleId, rule_id: pushRuleId, evaluator: 'polite', evaluator_id: null },
    ...{ evaluator_version: 0, scores: [corrected] }
  })
  const outcome = outcomeOf({ plan: null, ended: [anEnded(), push], open: [] })
  expect(outcome).toMatchObject({ status: 'evaluated', verdict: 'fail' })
  expect(outcome.scores).toEqual({ polite: { value: 0, label: null, passed: false } })
  const ofPerson = { source_kind: 'human', evaluator_id: '', evaluator_version: 0 }
  expect(outcome.counted).toEqual([counted, { ...counted, ...ofPerson, value: 0, passed: false }])
})

test('a pushed score without a plan leaves the status unchanged', () => {
  const push = anEnded({ rule: pushRuleId, rule_id: pushRuleId })
  expect(outcomeOf({ plan: null, ended: [push], open: [] })).toMatchObject({
    ...{ status: 'pending', reason: 'not_planned_yet', verdict: 'pass' }
  })
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, -2 * summedValueMax, null])(
  'the value %p is not summed',
  (value) => {
    const ended = [anEnded({ scores: [aScore({ value })] })]
    const [score] = outcomeOf({ plan: null, ended, open: [] }).counted
    expect(score).toEqual({ ...counted, value: null })
  }
)

test('a score with an overlong key is effective but not counted', () => {
  const ended = [anEnded({ scores: [aScore({ name: 'n'.repeat(140) })] })]
  const outcome = outcomeOf({ plan: null, ended, open: [] })
  expect(outcome).toMatchObject({ verdict: 'pass', counted: [] })
})

test('in runs without ids, names identify the evaluator', () => {
  const ended = [anEnded({ evaluator_id: null })]
  const [score] = outcomeOf({ plan: null, ended, open: [] }).counted
  expect(score?.evaluator_id).toBe('e')
})

test('a replay with the same result keeps the outcome', () => {
  const other = anEnded({
    evaluator_id: 'evl_2',
    scores: [aScore({ name: 'short', passed: false })]
  })
  const failed = anEnded({ evaluator_id: 'evl_3', status: 'failed', scores: [] })
  const ended = [anEnded(), other, failed]
  const plan = { runs: 3, outcomes: ['planned'] }
  const replayed = [...ended, anEnded({ generation: 1 })]
  expect(outcomeOf({ plan, ended: replayed, open: [] })).toEqual(
    outcomeOf({ plan, ended, open: [] })
  )
})
