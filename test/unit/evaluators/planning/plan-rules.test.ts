/** plan: one outcome for each rule, with the reason why it does not run. */
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

test('says of each rule what it makes of the decision', () => {
  expect(planRules(aDecision(), new Set(['e']))).toEqual([
    ...['planned', 'disabled', 'domain', 'sampled_out', 'budget_exhausted']
  ])
  expect(planRules(aDecision()).at(-1)).toBe('planned')
})

test('a plan is the runs of its rules, in order', () => {
  const runs = plannedRunsOf(ruleSet, planRules(aDecision()))
  const names = runs.map(({ rule, evaluator }) => `${rule.rule_id}/${evaluator.name}`)
  expect(names).toEqual(['a/short', 'a/long', 'e/short'])
})

test('decisions with equal outcomes share one plan', () => {
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

test("a judge's own call is never evaluated", () => {
  for (const metadata of ['{"sluice.evaluation":true}', '{"sluice.\\u0065valuation": true}']) {
    const own = aDecision({ metadata })
    expect(isOwnCall(own)).toBe(true)
    expect(new Set(planRules(own))).toEqual(new Set(['loop_guard']))
  }
  const others = ['{"sluice.evaluation":false}', '{"x":{"sluice.evaluation":true}}', '{}', null]
  for (const metadata of others) expect(isOwnCall(aDecision({ metadata }))).toBe(false)
})
