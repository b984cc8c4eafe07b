/** Tests run kinds: runs of the same kind share the fields of the kind and the constant part of
 * their reasons.
 */
import { expect, test } from '@jest/globals'
import { scoredKindOf } from '../../../../consumers/evaluation/run-kind.ts'
import type { EvaluatorVersion } from '../../../../core/evaluation/evaluator-definition.ts'
import type { PlannedRun } from '../../../../evaluators/planning/plan-rules.ts'
import { reasonIn } from '../../../support/reason-in.ts'
import { aRule, aVersion } from '../../evaluators/planning/a-rule.ts'

function aPlannedRun(kind: EvaluatorVersion['kind']): PlannedRun {
  const evaluator = aVersion({ kind })
  return { rule: aRule({ evaluators: [evaluator] }), evaluator }
}

function scored(planned: PlannedRun, reason: string) {
  return scoredKindOf(planned, { data_type: 'boolean', reason })
}

test('gives reasons that differ only in numbers one kind', () => {
  const planned = aPlannedRun('heuristic')
  const one = scored(planned, 'The output has 391 characters.')
  const other = scored(planned, 'The output has 7 characters.')
  expect(one.kind).toBe(other.kind)
  expect([reasonIn(one), reasonIn(other)]).toEqual([
    'The output has 391 characters.',
    'The output has 7 characters.'
  ])
  expect(scored(planned, 'The output is empty.').kind).not.toBe(one.kind)
})

test('publishes reasons that quote the output unchanged, and gives them one kind', () => {
  const planned = aPlannedRun('json_schema')
  const one = scored(planned, 'The output lacks "a".')
  expect(one).toMatchObject({ reason: 'The output lacks "a".', reason_numbers: null })
  expect(scored(planned, 'The output lacks "b".').kind).toBe(one.kind)
})

test('limits the kinds of an evaluator whose reasons all differ', () => {
  const planned = aPlannedRun('heuristic')
  const texts = Array.from({ length: 26 * 26 }, (_, at) => {
    return `It is ${String.fromCodePoint(97 + (at % 26), 97 + Math.floor(at / 26))}.`
  })
  const runs = texts.map((text) => scored(planned, text))
  expect(runs.map(reasonIn)).toEqual(texts)
  expect(new Set(runs.map(({ kind }) => kind)).size).toBe(65)
  expect(scored(planned, 'It is aa.').kind).toBe(runs[0]?.kind)
})
