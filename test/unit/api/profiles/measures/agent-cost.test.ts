/** What tokens cost: known in part, and unknown is not free. */
import { expect, test } from '@jest/globals'
import { costOf } from '../../../../../api/profiles/measures/agent-cost.ts'
import type { Prices } from '../../../../../api/profiles/measures/agent-cost.ts'

const price = { input_usd_per_million: 1, output_usd_per_million: 10 }
const free = { input_usd_per_million: 0, output_usd_per_million: 0 }
const tokens = { input_tokens: 1_000_000, output_tokens: 500_000 }
const models = [
  { model: 'a', ...tokens },
  { model: null, ...tokens }
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

test('a model that is called like something of JavaScript has no price by that', () => {
  expect(costOf({}, [{ model: 'constructor', ...tokens }])).toBeNull()
})

test('no tokens cost nothing that is known', () => {
  const none = { model: 'a', input_tokens: 0, output_tokens: 0 }
  expect(costOf({ a: price }, [none])).toBeNull()
})
