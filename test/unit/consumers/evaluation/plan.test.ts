/** The default rule plans every offline evaluator for every decision. */
import { expect, test } from '@jest/globals'
import { offlineEvaluators, planOf } from '../../../../consumers/evaluation/plan.ts'
import { aDecision } from '../../../support/builders.ts'

test('plans each offline evaluator once, under the rule default', () => {
  const plan = planOf(aDecision())
  expect(plan.map(({ evaluator }) => evaluator.name)).toEqual([
    'output_not_empty',
    'output_complete',
    'not_refusal',
    'json_valid',
    'no_personal_data',
    'input_not_repeated',
    'no_repetition'
  ])
  expect(new Set(plan.map(({ rule }) => rule))).toEqual(new Set(['default']))
})

test('matches a decision without agent, session, domain and metadata', () => {
  const bare = aDecision({ agent_id: null, session_id: null, domain: null, metadata: null })
  expect(planOf(bare)).toHaveLength(offlineEvaluators.length)
})

test('evaluators cannot be changed', () => {
  expect(Object.isFrozen(offlineEvaluators)).toBe(true)
  expect(offlineEvaluators.every((evaluator) => Object.isFrozen(evaluator))).toBe(true)
})
