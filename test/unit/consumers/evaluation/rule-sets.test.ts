/** Tests rule sets: one query serves many decisions, and built-in evaluators come from this
 * process.
 */
import { expect, test } from '@jest/globals'
import { createRuleSets } from '../../../../consumers/evaluation/rule-sets.ts'
import type { RuleSet } from '../../../../core/evaluation/rule.ts'
import { builtInEvaluators, defaultRuleSet } from '../../../../evaluators/default-rule-set.ts'
import type { Row } from '../../../../platform/postgres/postgres.ts'
import { aRule, aVersion } from '../../evaluators/planning/a-rule.ts'

const [organization, other] = ['01938c4e-0000-7000-8000-000000000001', '01938c4e-0000-7000-8000-2']

function scene(saved: Record<string, RuleSet[]>) {
  let now = 0
  const asked: string[] = []
  const query = <R extends Row>(statement: string, values: readonly unknown[] = []) => {
    asked.push(statement.includes('content') ? 'content' : 'versions')
    if (!statement.includes('content')) {
      const ids = (values[0] as string[]).filter((id) => saved[id] !== undefined)
      const rows = ids.map((id) => ({ organization_id: id, version: saved[id]?.at(-1)?.version }))
      return Promise.resolve(rows as unknown as R[])
    }
    const found = saved[String(values[0])]?.find(({ version }) => version === values[1])
    const rows = found === undefined ? [] : [{ content: JSON.stringify(found) }]
    return Promise.resolve(rows as unknown as R[])
  }
  const ruleSets = createRuleSets({ postgres: { query }, clock: { now: () => now } })
  return { ruleSets, asked, pass: (ms: number) => (now += ms) }
}

test('returns the default without a rule set, and queries it once in five seconds', async () => {
  const { ruleSets, asked, pass } = scene({})
  for (const wait of [0, 0, 4999, 1]) {
    pass(wait)
    const found = await ruleSets.current([organization, organization])
    expect(found.get(organization)?.ruleSet).toBe(defaultRuleSet)
  }
  expect(asked).toEqual(['versions', 'versions'])
})

test('applies a change at the next query, and reads its content once', async () => {
  const saved = { [organization]: [{ version: 1, rules: [aRule()] }] }
  const { ruleSets, asked, pass } = scene(saved)
  await ruleSets.current([organization, other])
  saved[organization]?.push({ version: 2, rules: [] })
  expect((await ruleSets.current([organization])).get(organization)?.ruleSet.version).toBe(1)
  pass(5000)
  const found = await ruleSets.current([organization, other])
  expect(found.get(organization)?.ruleSet.version).toBe(2)
  expect(found.get(other)?.ruleSet.version).toBe(0)
  expect((await ruleSets.at(organization, 1)).ruleSet.version).toBe(1)
  expect(asked).toEqual(['versions', 'content', 'versions', 'content'])
})

test('replaces built-in evaluators, and keeps those of the organization', async () => {
  const [builtIn] = builtInEvaluators
  if (builtIn === undefined) throw new Error('no built-in evaluator')
  const older = { ...builtIn, version: 0, config: { check: 'gone' } }
  const rules = [aRule({ evaluators: [older, aVersion({ version: 4 })] })]
  const { ruleSets } = scene({ [organization]: [{ version: 1, rules }] })
  const { ruleSet } = await ruleSets.at(organization, 1)
  expect(ruleSet.rules[0]?.evaluators).toEqual([builtIn, aVersion({ version: 4 })])
})

test('throws if the rule set of a plan does not exist', async () => {
  await expect(scene({}).ruleSets.at(organization, 3)).rejects.toThrow('no rule set 3')
})
