/** resolve: references become versions, and one that leads nowhere is an error. */
import { expect, test } from '@jest/globals'
import { resolveRules } from '../../../../evaluators/planning/resolve-rules.ts'
import { aRule, aVersion } from './a-rule.ts'

const rule = { ...aRule(), evaluators: [{ evaluator_id: 'evl_short', version: 'latest' as const }] }

test('a reference becomes the version that it names', () => {
  const version = aVersion({ version: 7 })
  const [resolved] = resolveRules([rule], ({ evaluator_id }) =>
    evaluator_id === version.evaluator_id ? version : undefined
  )
  expect(resolved).toEqual({ ...rule, evaluators: [version] })
})

test('a reference that leads nowhere is an error that names it', () => {
  expect(() => resolveRules([rule], () => undefined)).toThrow('rul_1 names evl_short')
})
