/** Tests the default rule set: it keeps the names, ids and versions of stored runs, and compiles
 * each version once.
 */
import { expect, test } from '@jest/globals'
import { checkEvaluator } from '../../../evaluators/check-evaluator.ts'
import { builtInEvaluators, defaultRuleSet } from '../../../evaluators/default-rule-set.ts'
import { createEvaluatorCache } from '../../../evaluators/evaluator-cache.ts'
import { createSessionMemory } from '../../../evaluators/heuristics/session-memory.ts'
import { runEvaluators } from '../../../evaluators/run-evaluators.ts'
import { aSubject } from './a-subject.ts'
import { aVersion } from './a-version.ts'

test('has one rule that matches every decision', () => {
  expect(defaultRuleSet).toMatchObject({
    version: 0,
    rules: [
      { rule_id: 'default', name: 'default', enabled: true, match: {}, sampling: { rate: 1 } }
    ]
  })
  expect(defaultRuleSet.rules[0]?.evaluators).toBe(builtInEvaluators)
})

test('keeps the names, ids and versions of stored runs', () => {
  expect(builtInEvaluators.map(({ evaluator_id, version }) => [evaluator_id, version])).toEqual([
    ['output_not_empty', 1],
    ['output_complete', 1],
    ['not_refusal', 1],
    ['json_valid', 1],
    ['no_personal_data', 1],
    ['input_not_repeated', 1],
    ['no_repetition', 1],
    ['no_session_loop', 1]
  ])
  for (const { evaluator_id, name, output } of builtInEvaluators) {
    expect([name, output.name]).toEqual([evaluator_id, evaluator_id])
  }
})

test('consists of evaluators that an organization can also configure under other names', () => {
  for (const { kind, config } of builtInEvaluators) {
    expect(checkEvaluator({ name: 'mine', kind, config })).toEqual([])
  }
})

test('is frozen', () => {
  expect(Object.isFrozen(builtInEvaluators)).toBe(true)
  expect(builtInEvaluators.every((each) => Object.isFrozen(each))).toBe(true)
})

test('gives scores that match the score definitions', () => {
  const compile = createEvaluatorCache({ sessions: createSessionMemory() })
  const subject = aSubject({
    input: '{"question":"May I return these shoes that I bought twelve days ago? Answer in JSON."}',
    output: `{"answer":"Yes: within 30 days, unworn, you get the full price back from us."`
  })
  const outcomes = runEvaluators(
    builtInEvaluators.map((version) => ({ evaluator: compile(version), subject }))
  )
  outcomes.forEach((outcome, at) => {
    const output = builtInEvaluators[at]?.output
    expect(outcome).toMatchObject({
      status: 'succeeded',
      finding: { data_type: output?.data_type }
    })
  })
})

test('compiles each version once', () => {
  const compile = createEvaluatorCache({ sessions: null })
  const version = aVersion('regex', { pattern: 'a' })
  expect(compile({ ...version })).toBe(compile(version))
  expect(compile({ ...version, version: 2 })).not.toBe(compile(version))
})

test('fails only the runs of a version that no longer compiles', () => {
  const compile = createEvaluatorCache({ sessions: null })
  const broken = { ...aVersion('regex', { pattern: 'a' }), config: { pattern: '(' } }
  const judge = { ...broken, evaluator_id: 'evl_2', kind: 'llm_judge' as const }
  const jobs = [broken, judge].map((version) => ({
    evaluator: compile(version),
    subject: aSubject()
  }))
  expect(runEvaluators(jobs)).toMatchObject([
    { status: 'failed', status_reason: 'code_error' },
    { status: 'failed', status_reason: 'code_error' }
  ])
})
