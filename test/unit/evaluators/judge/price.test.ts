/** Tests costs: exact to the billionth of a dollar, rounded up, and null if a part is unknown. */
import { expect, test } from '@jest/globals'
import { addUsage, costNanoUsd } from '../../../../evaluators/judge/price.ts'

const price = { model: 'm', usd_per_million_input: 0.15, usd_per_million_output: 0.6 }

test.each([
  [812, 61, 812 * 150 + 61 * 600],
  [0, 0, 0],
  [1_000_000, 1_000_000, 750_000_000],
  [1, 0, 150]
])('prices %d and %d tokens at %d', (input_tokens, output_tokens, cost) => {
  expect(costNanoUsd(price, { input_tokens, output_tokens })).toBe(cost)
})

test('never rounds a cost down to zero, except for a free model', () => {
  const cheap = { ...price, usd_per_million_input: 0.0001, usd_per_million_output: 0 }
  const free = { ...price, usd_per_million_input: 0, usd_per_million_output: 0 }
  const usage = { input_tokens: 1, output_tokens: 1 }
  expect(costNanoUsd(cheap, usage)).toBe(1)
  expect(costNanoUsd(free, usage)).toBe(0)
})

test('returns null without a price or without usage', () => {
  const usage = { input_tokens: 1, output_tokens: 1 }
  expect(costNanoUsd(undefined, usage)).toBeNull()
  expect(costNanoUsd({ ...price, usd_per_million_output: null }, usage)).toBeNull()
  expect(costNanoUsd({ ...price, usd_per_million_input: null }, usage)).toBeNull()
  expect(costNanoUsd(price, { ...usage, input_tokens: null })).toBeNull()
  expect(costNanoUsd(price, { ...usage, output_tokens: null })).toBeNull()
})

test('returns null for implausible usage', () => {
  const dear = { ...price, usd_per_million_input: 100_000 }
  const costOf = (input_tokens: number) => costNanoUsd(dear, { input_tokens, output_tokens: 0 })
  expect([costOf(100_000), costOf(100_001)]).toEqual([10_000_000_000_000, null])
})

test('returns null for a sum if one call reports no usage', () => {
  const [one, other] = [
    { input_tokens: 1, output_tokens: 2 },
    { input_tokens: 3, output_tokens: null }
  ]
  expect(addUsage(one, one)).toEqual({ input_tokens: 2, output_tokens: 4 })
  expect(addUsage(one, other)).toEqual({ input_tokens: 4, output_tokens: null })
})
