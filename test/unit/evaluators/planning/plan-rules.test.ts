/** Tests plans: each rule runs, or has a reason why it does not run. */
import { expect, test } from '@jest/globals'
import {
  createPlanRules,
  createResolvePlan,
  isOwnCall,
  plannedRunsOf
} from '../../../../evaluators/planning/plan-rules.ts'
import { aDecision } from '../../../support/builders.ts'
import { aRule, aVersion } from './a-rule.ts'

const rules = [
  aRule({ rule_id: 'a', evaluators: [aVersion(), aVersion({ name: 'long' })] }),
  aRule({ rule_id: 'b', enabled: false }),
  aRule({ rule_id: 'c', match: { domains: ['billing'] } }),
  aRule({ rule_id: 'd', sampling: { rate: 0, key: 'decision', cohort: 'default' } }),
  aRule({ rule_id: 'e' })
]
const ruleSet = { version: 3, rules }
const planRules = createPlanRules(ruleSet)

test('returns an outcome for each rule', () => {
  expect(planRules(aDecision(), new Set(['e']))).toEqual([
    ...['planned', 'disabled', 'domain', 'sampled_out', 'budget_exhausted']
  ])
  expect(planRules(aDecision()).at(-1)).toBe('planned')
})

test('lists the runs of planned rules in order', () => {
  const runs = plannedRunsOf(ruleSet, planRules(aDecision()))
  const names = runs.map(({ rule, evaluator }) => `${rule.rule_id}/${evaluator.name}`)
  expect(names).toEqual(['a/short', 'a/long', 'e/short'])
})

test('returns the same plan for equal outcomes', () => {
  const resolvePlan = createResolvePlan(ruleSet)
  const outcomes = planRules(aDecision())
  const plan = resolvePlan(outcomes)
  expect(plan).toEqual({
    ...{ rule_set_version: 3, outcomes },
    runs: plannedRunsOf(ruleSet, outcomes)
  })
  expect(resolvePlan(planRules(aDecision()))).toBe(plan)
  const billed = resolvePlan(planRules(aDecision({ domain: 'billing' })))
  expect(billed.runs.map(({ rule }) => rule.rule_id)).toEqual(['a', 'a', 'c', 'e'])
})

test("never evaluates a judge's own call", () => {
  for (const metadata of ['{"sluice.evaluation":true}', '{"sluice.\\u0065valuation": true}']) {
    const own = aDecision({ metadata })
    expect(isOwnCall(own)).toBe(true)
    expect(new Set(planRules(own))).toEqual(new Set(['loop_guard']))
  }
  const others = ['{"sluice.evaluation":false}', '{"x":{"sluice.evaluation":true}}', '{}', null]
  for (const metadata of others) expect(isOwnCall(aDecision({ metadata }))).toBe(false)
})
