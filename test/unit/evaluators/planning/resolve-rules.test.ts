/** Tests that references resolve to versions, and that an unknown reference is an error. */
import { expect, test } from '@jest/globals'
import { resolveRules } from '../../../../evaluators/planning/resolve-rules.ts'
import { aRule, aVersion } from './a-rule.ts'

const rule = { ...aRule(), evaluators: [{ evaluator_id: 'evl_short', version: 'latest' as const }] }

test('replaces a reference with its version', () => {
  const version = aVersion({ version: 7 })
  const [resolved] = resolveRules([rule], ({ evaluator_id }) =>
    evaluator_id === version.evaluator_id ? version : undefined
  )
  expect(resolved).toEqual({ ...rule, evaluators: [version] })
})

test('throws an error that names an unknown reference', () => {
  expect(() => resolveRules([rule], () => undefined)).toThrow('rul_1 refers to evl_short')
})
