/** Tests scores: their published members, normalization, and the score definition. */
import { expect, test } from '@jest/globals'
import type { ScoreDefinition } from '../../../core/evaluation/evaluator-definition.ts'
import { EvaluatorFailure, verdict } from '../../../evaluators/evaluator.ts'
import type { Finding } from '../../../evaluators/evaluator.ts'
import { applyScoreDefinition } from '../../../evaluators/apply-score-definition.ts'
import { booleanOutput, countOutput, shareOutput } from '../../../evaluators/kind.ts'
import { scoreOf } from '../../../evaluators/score-of.ts'

const runId = '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'
const rubric: ScoreDefinition = { ...shareOutput, name: 'tone', min: 1, max: 5, threshold: 4 }
const choice: ScoreDefinition = {
  ...booleanOutput,
  name: 'policy',
  data_type: 'categorical',
  labels: { kept: 1, bent: 0.5, broken: 0 },
  pass: ['kept']
}

function number(value: number | null): Finding {
  return { ...verdict(true, 'So it is.'), data_type: 'numeric', value, passed: null }
}

function label(text: string | null): Finding {
  return { ...number(null), data_type: 'categorical', label: text }
}

test('copies all members of the finding', () => {
  const evidence = [{ path: '/output', quote: null, start: 1, end: 2 }]
  const finding = { ...number(4), passed: true, evidence, confidence: 0.5 }
  expect(scoreOf(runId, rubric, finding)).toEqual({
    score_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'tone',
    data_type: 'numeric',
    value: 4,
    label: null,
    passed: true,
    reason: 'So it is.',
    normalized: 0.75,
    threshold: 4,
    range_min: 1,
    range_max: 5,
    direction: 'higher',
    confidence: 0.5,
    evidence: JSON.stringify(evidence),
    source_kind: null,
    source_id: null
  })
})

test('derives the id from the run and the name', () => {
  const [one, same] = [scoreOf(runId, rubric, number(1)), scoreOf(runId, rubric, number(2))]
  expect(one.score_id).toBe(same.score_id)
  expect(scoreOf(runId, choice, label('kept')).score_id).not.toBe(one.score_id)
})

test.each<[string, ScoreDefinition, Finding, number | null]>([
  ['a yes', { ...booleanOutput, name: 'a' }, verdict(true, 'Yes.'), 1],
  ['the best value if lower is better', { ...rubric, direction: 'lower' }, number(1), 1],
  ['a number without a range', { ...countOutput, name: 'a', direction: 'higher' }, number(7), null],
  ['a number that is neither good nor bad', { ...rubric, direction: 'none' }, number(5), null],
  ['a label', choice, { ...label('bent'), value: 0.5 }, 0.5]
])('normalizes %s', (_, output, finding, normalized) => {
  expect(scoreOf(runId, output, finding).normalized).toBe(normalized)
})

test.each<[string, ScoreDefinition, Finding, object]>([
  ['at the threshold', rubric, number(4), { passed: true }],
  ['below the threshold', rubric, number(3.9), { passed: false }],
  [
    'below the threshold if lower is better',
    { ...rubric, direction: 'lower' },
    number(3),
    { passed: true }
  ],
  ['no threshold', { ...rubric, threshold: null }, number(3), { passed: null }],
  ['a label that passes', choice, label('kept'), { passed: true, value: 1 }],
  ['a label that does not pass', choice, label('bent'), { passed: false, value: 0.5 }],
  ['a boolean', { ...booleanOutput, name: 'a' }, verdict(false, 'No.'), { passed: false }]
])('applies the score definition: %s', (_, output, finding, expected) => {
  expect(applyScoreDefinition(finding, output)).toMatchObject(expected)
})

test.each<[string, ScoreDefinition, Finding, string]>([
  ['above the range', rubric, number(5.1), 'out_of_range'],
  ['below the range', rubric, number(0), 'out_of_range'],
  ['NaN', rubric, number(Number.NaN), 'out_of_range'],
  ['no value', rubric, number(null), 'out_of_range'],
  ['too large to add up', { ...rubric, min: null, max: null }, number(-1.1e100), 'out_of_range'],
  ['another label', choice, label('fine'), 'unknown_label'],
  ['a label named like an inherited member', choice, label('constructor'), 'unknown_label'],
  ['no label', choice, label(null), 'unknown_label']
])('rejects %s', (_, output, finding, reason) => {
  let thrown: unknown
  try {
    applyScoreDefinition(finding, output)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(EvaluatorFailure)
  expect(thrown).toMatchObject({ status_reason: reason })
})
