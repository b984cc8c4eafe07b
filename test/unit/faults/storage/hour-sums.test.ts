/** Tests that stored sums are compared with the sums of the rows. */
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

test('reports nothing for equal sums in any order', () => {
  expect(differingHours(counted, counted.toReversed())).toEqual([])
})

test.each([
  [{ decisions: '3' }],
  [{ input_tokens: '31' }],
  [{ output_tokens: '9007199254740993' }],
  [{ input_tokens_known: '1' }],
  [{ output_tokens_known: '2' }]
])('reports a sum with %j', (changes) => {
  const kept = [sum('9'), sum('10', changes), sum('10', { agent_id: 'b' })]
  expect(differingHours(counted, kept)).toEqual([
    expect.stringMatching(/^\["o","10","a","d"\] is .*, not 2 30 12 2 1$/)
  ])
})

test('reports a missing hour, and an hour without decisions', () => {
  const kept = [sum('9'), sum('11'), sum('10', { agent_id: 'b' })]
  expect(differingHours(counted, kept)).toEqual([
    '["o","10","a","d"] is missing',
    '["o","11","a","d"] has no decisions'
  ])
})
