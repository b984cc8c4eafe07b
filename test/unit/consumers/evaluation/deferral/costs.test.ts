/** Tests how the evaluation time per decision of an organization is estimated. */
import { expect, test } from '@jest/globals'
import { createCosts } from '../../../../../consumers/evaluation/deferral/costs.ts'
import { done, duplicate } from '../../../../../core/message-outcome.ts'
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

test('estimates an unknown organization at the cost of many runs', () => {
  expect(createCosts().of(organization_id)).toBe(5)
})

test('adds an overhead to the time of the runs', () => {
  const costs = createCosts()
  costs.note([planned(), planned(2)], [evaluated(1000, 2000), evaluated()])
  expect(costs.of(organization_id)).toBeCloseTo((0.3 + 3.06 + 0.3 + 0.3) / 2)
})

test('weighs an estimate by the number of decisions', () => {
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

test('ignores duplicates', () => {
  const costs = createCosts()
  costs.note([{ ...planned(), outcome: duplicate }], [])
  expect(costs.of(organization_id)).toBe(5)
})
