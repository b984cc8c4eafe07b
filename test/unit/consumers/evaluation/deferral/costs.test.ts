/** What decisions cost is learned from what they have cost. */
import { expect, test } from '@jest/globals'
import { createCosts } from '../../../../../consumers/evaluation/deferral/costs.ts'
import { done, duplicate } from '../../../../../core/consumed.ts'
import type { Evaluation } from '../../../../../core/evaluation/evaluation.ts'
import { aDecision, anEvaluation, aPackedRun } from '../../../../support/builders.ts'

const decision = aDecision()
const { organization_id } = decision
const planned = (opened = 0) => ({ decision, plan: null, runs: [], opened, outcome: done })
const evaluated = (...durations: number[]): Evaluation => ({
  ...anEvaluation(),
  organization_id,
  runs: durations.map((duration_us) => aPackedRun({ duration_us }))
})

test('an organization that is not known costs as much as many runs', () => {
  expect(createCosts().of(organization_id)).toBe(5)
})

test('what a decision costs is the time of its runs, and something for each', () => {
  const costs = createCosts()
  costs.note([planned(), planned(2)], [evaluated(1000, 2000), evaluated()])
  expect(costs.of(organization_id)).toBeCloseTo((0.3 + 3.06 + 0.3 + 0.3) / 2)
})

test('a few decisions hardly change what is known, and many do', () => {
  const costs = createCosts()
  costs.note([planned()], [evaluated(10_000)])
  costs.note([planned()], [])
  expect(costs.of(organization_id)).toBeGreaterThan(9)
  costs.note(
    Array.from({ length: 2000 }, () => planned()),
    []
  )
  expect(costs.of(organization_id)).toBeLessThan(1)
})

test('what comes again says nothing', () => {
  const costs = createCosts()
  costs.note([{ ...planned(), outcome: duplicate }], [])
  expect(costs.of(organization_id)).toBe(5)
})
