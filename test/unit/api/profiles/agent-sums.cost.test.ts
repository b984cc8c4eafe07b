/** Tests token costs: some prices can be unknown, and an unknown price does not count as zero. */
import { expect, test } from '@jest/globals'
import { costOf } from '../../../../api/profiles/agent-sums.ts'
import type { Prices } from '../../../../api/profiles/schemas.ts'

const price = { input_usd_per_million: 1, output_usd_per_million: 10 }
const free = { input_usd_per_million: 0, output_usd_per_million: 0 }
const tokens = { input_tokens: 1_000_000, output_tokens: 500_000 }
const models = [
  { value: 'a', ...tokens },
  { value: null, ...tokens }
]

test.each<[Prices | null, object | null]>([
  [null, null],
  [{}, null],
  [{ b: price }, null],
  [{ a: price }, { usd: 6, priced_share: 0.5, price_source: 'profile' }],
  [{ '*': price }, { usd: 12, priced_share: 1, price_source: 'profile' }],
  [
    { a: free, '*': price },
    { usd: 6, priced_share: 1, price_source: 'profile' }
  ],
  [{ a: free }, { usd: 0, priced_share: 0.5, price_source: 'profile' }]
])('with %j', (prices, cost) => {
  expect(costOf(prices, models)).toEqual(cost)
})

test('finds no price for a model named like a member of Object.prototype', () => {
  expect(costOf({}, [{ value: 'constructor', ...tokens }])).toBeNull()
})

test('returns null without tokens', () => {
  const none = { value: 'a', input_tokens: 0, output_tokens: 0 }
  expect(costOf({ a: price }, [none])).toBeNull()
})
