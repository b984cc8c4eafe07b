/** The default rule: everything that needs nothing, under the names that are stored already. */
import { expect, test } from '@jest/globals'
import { checkEvaluator } from '../../../evaluators/check-evaluator.ts'
import { builtInEvaluators, defaultRuleSet } from '../../../evaluators/default-rule-set.ts'
import { createEvaluatorCache } from '../../../evaluators/evaluator-cache.ts'
import { createSessionMemory } from '../../../evaluators/heuristics/session-memory.ts'
import { runEvaluators } from '../../../evaluators/run-evaluators.ts'
import { aSubject } from './a-subject.ts'
import { aVersion } from './a-version.ts'

test('one rule, for every decision', () => {
  expect(defaultRuleSet).toMatchObject({
    version: 0,
    rules: [
      { rule_id: 'default', name: 'default', enabled: true, match: {}, sampling: { rate: 1 } }
    ]
  })
  expect(defaultRuleSet.rules[0]?.evaluators).toBe(builtInEvaluators)
})

test('names, ids and versions are those of the runs that are stored', () => {
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

test('they are what anybody could configure, under another name', () => {
  for (const { kind, config } of builtInEvaluators) {
    expect(checkEvaluator({ name: 'mine', kind, config })).toEqual([])
  }
})

test('nobody can change them', () => {
  expect(Object.isFrozen(builtInEvaluators)).toBe(true)
  expect(builtInEvaluators.every((each) => Object.isFrozen(each))).toBe(true)
})

test('each gives the score that it says it gives', () => {
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

test('a version is compiled once', () => {
  const compile = createEvaluatorCache({ sessions: null })
  const version = aVersion('regex', { pattern: 'a' })
  expect(compile({ ...version })).toBe(compile(version))
  expect(compile({ ...version, version: 2 })).not.toBe(compile(version))
})

test('a version that can no longer be compiled fails each of its runs, and no other', () => {
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
