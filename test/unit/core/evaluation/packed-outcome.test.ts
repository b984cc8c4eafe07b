/** Tests that the outcome of packed runs equals the outcome computed by comparing all scores. */
import { expect, test } from '@jest/globals'
import { outcomeOf } from '../../../../core/evaluation/decision-outcome.ts'
import type { PackedRun } from '../../../../core/evaluation/evaluation.ts'
import { kindListOf, packedOutcomeOf } from '../../../../core/evaluation/packed-outcome.ts'
import { pushRuleId } from '../../../../core/evaluation/rule.ts'
import { createRandom } from '../../../faults/random.ts'
import { aPackedRun, aRunKind } from '../../../support/builders.ts'

const kinds = Array.from({ length: 6 }, (_, at) =>
  aRunKind({ evaluator_id: `evl_${at}`, evaluator: `e${at}`, name: `n${at}` })
)

function endedOf({ kind, status, status_reason, value, label, passed }: PackedRun) {
  const { rule, rule_id, evaluator, evaluator_id, evaluator_version, name } = kind
  const score = { value, label, passed, source_kind: 'evaluator', score_id: evaluator_id }
  return {
    ...{ rule, rule_id, evaluator, evaluator_id, evaluator_version, generation: 0 },
    ...{ status, status_reason, evaluated_at: 0 },
    scores: name === null ? [] : [{ name, ...score }]
  }
}

test('derives the same outcome as a comparison of all scores', () => {
  const random = createRandom(7)
  const values = [0, 1, 0.25, null, 1e101]
  for (let round = 0; round < 200; round++) {
    const runs = kinds.slice(random.below(6)).map((kind) => {
      const status = (['succeeded', 'failed', 'skipped'] as const)[random.below(3)] ?? 'failed'
      const scored = { value: values[random.below(5)] ?? null, passed: random.chance(0.5) }
      if (status === 'succeeded') return aPackedRun({ kind, status, ...scored })
      const status_reason = ['not_applicable', 'code_error'][random.below(2)] ?? null
      const bare = { value: null, label: null, passed: null }
      return aPackedRun({ kind: { ...kind, name: null }, status, status_reason, ...bare })
    })
    expect(kindListOf(runs).areDerivable).toBe(true)
    const plan = random.chance(0.2) ? null : { runs: 6, outcomes: ['planned'] }
    const compared = outcomeOf({ plan, ended: runs.map(endedOf), open: [] })
    expect(packedOutcomeOf(plan, runs)).toEqual({ ...compared, scores: null })
  }
})

const [one, other] = [aRunKind({ name: 'n' }), aRunKind({ name: 'm', evaluator_id: 'evl_2' })]

test.each([
  ['no runs', [], false],
  ['two kinds', [one, other], true],
  ['one kind twice', [one, one], false],
  ['two versions of an evaluator', [one, { ...one, name: 'o', evaluator_version: 7 }], false],
  ['one name twice', [one, { ...other, name: 'n' }], false],
  [
    'two without scores',
    [
      { ...one, name: null },
      { ...other, name: null }
    ],
    true
  ],
  ['a long name', [{ ...one, name: 'n'.repeat(100) }], false],
  ['a pushed score', [{ ...one, rule_id: pushRuleId }], false]
])('determines whether readers can derive the scores: %s', (_, own, areDerivable) => {
  const runs = own.map((kind) => aPackedRun({ kind }))
  expect(kindListOf(runs).areDerivable).toBe(areDerivable)
  expect(kindListOf(runs.map((run) => ({ ...run })))).toEqual(kindListOf(runs))
})

test('determines whether two runs have the same rule and evaluator', () => {
  const areDistinct = (...own: (typeof one)[]) =>
    kindListOf(own.map((kind) => aPackedRun({ kind }))).areDistinct
  expect([areDistinct(), areDistinct(one, other)]).toEqual([true, true])
  expect(areDistinct(one, { ...one, name: 'o', evaluator_version: 7 })).toBe(false)
})

test('reuses the list for runs of the same kinds', () => {
  const runsOf = () => [one, other].map((kind) => aPackedRun({ kind }))
  expect(kindListOf(runsOf())).toBe(kindListOf(runsOf()))
  expect(kindListOf(runsOf().slice(0, 1)).kinds).toEqual([one])
})
