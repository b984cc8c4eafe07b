/** Sums that storage keeps, against those that were counted: each difference is told. */
import { expect, test } from '@jest/globals'
import { differingHours } from '../../../faults/storage/hour-sums.ts'
import type { HourSum } from '../../../faults/storage/hour-sums.ts'

function sum(hour: string, changes: Partial<HourSum> = {}): HourSum {
  const name = { organization_id: 'o', hour, agent_id: 'a', domain: 'd' }
  const tokens = { input_tokens: '30', output_tokens: '12' }
  const known = { input_tokens_known: '2', output_tokens_known: '1' }
  return { ...name, decisions: '2', ...tokens, ...known, ...changes }
}

const counted = [sum('9'), sum('10'), sum('10', { agent_id: 'b' })]

test('the same sums in any order differ in nothing', () => {
  expect(differingHours(counted, counted.toReversed())).toEqual([])
})

test.each([
  [{ decisions: '3' }],
  [{ input_tokens: '31' }],
  [{ output_tokens: '9007199254740993' }],
  [{ input_tokens_known: '1' }],
  [{ output_tokens_known: '2' }]
])('a sum with %j is told', (changes) => {
  const kept = [sum('9'), sum('10', changes), sum('10', { agent_id: 'b' })]
  expect(differingHours(counted, kept)).toEqual([
    expect.stringMatching(/^\["o","10","a","d"\] is .*, not 2 30 12 2 1$/)
  ])
})

test('an hour that is not kept is told, and one that has no decision', () => {
  const kept = [sum('9'), sum('11'), sum('10', { agent_id: 'b' })]
  expect(differingHours(counted, kept)).toEqual([
    '["o","10","a","d"] is not kept',
    '["o","11","a","d"] has no decision'
  ])
})
