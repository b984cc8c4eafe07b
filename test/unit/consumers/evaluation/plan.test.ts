/** Tests which runs follow from a stored plan. */
import { expect, test } from '@jest/globals'
import { createPlanDecisions } from '../../../../consumers/evaluation/plan.ts'
import { compileRuleSet } from '../../../../consumers/evaluation/rule-sets.ts'
import type { StoredPlan } from '../../../../consumers/evaluation/store-plans.ts'
import type { Decision } from '../../../../core/decision/decision.ts'
import { aDecision } from '../../../support/builders.ts'
import { aRule, aVersion } from '../../evaluators/planning/a-rule.ts'

function ruleSetOf(version: number) {
  const evaluators = [aVersion({ version }), aVersion({ name: 'judge', kind: 'llm_judge' })]
  return compileRuleSet({ version, rules: [aRule({ evaluators })] })
}

function planWith(stored: readonly StoredPlan[]) {
  const planDecisions = createPlanDecisions({
    ruleSets: {
      current: (ids) => Promise.resolve(new Map(ids.map((id) => [id, ruleSetOf(2)]))),
      at: (_id, version) => Promise.resolve(ruleSetOf(version))
    },
    readExhausted: () => Promise.resolve(new Map()),
    storePlans: () => Promise.resolve(stored)
  })
  const begin = { groupId: 'group', topic: 'topic', partition: 0, nextOffset: 0n, epoch: 0 }
  return (decisions: readonly Decision[]) => planDecisions(decisions, begin)
}

test('runs a new plan with the current rules, and a repeated one with its own', async () => {
  const planDecisions = planWith([
    { kind: 'planned' },
    { kind: 'repeated', version: 1, outcomes: ['planned'] },
    { kind: 'repeated', version: 1, outcomes: ['sampled_out'] },
    { kind: 'duplicate' },
    { kind: 'erased' }
  ])
  const planned = await planDecisions(Array.from({ length: 5 }, () => aDecision()))
  const versions = planned.map(({ runs }) => runs.map(({ evaluator }) => evaluator.version))
  expect(versions).toEqual([[2], [1], [], [], []])
  expect(planned.map(({ outcome }) => outcome.kind)).toEqual([
    ...['done', 'done', 'done', 'duplicate', 'erased']
  ])
})

test('throws if a plan was neither stored nor found', async () => {
  await expect(planWith([])([aDecision()])).rejects.toThrow('neither stored nor found')
})
