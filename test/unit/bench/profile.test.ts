/** Self times out of a processor profile. */
import { expect, test } from '@jest/globals'
import { linesOf, selfTimesOf } from '../../../bench/profile.ts'

function aNode(id: number, functionName: string, url = '', lineNumber = 0) {
  return { id, callFrame: { functionName, url, lineNumber } }
}

const profile = {
  startTime: 1000,
  nodes: [
    aNode(1, 'parse', 'file:///somewhere/gateway/parse.ts', 29),
    aNode(2, '(idle)'),
    aNode(3, '', 'node:internal/http', 4),
    aNode(4, 'parse', 'file:///somewhere/gateway/parse.ts', 29)
  ],
  samples: [3, 1, 2, 4, 3, 1],
  timeDeltas: [100, 100, 100, 100, 100, 500]
}
const times = selfTimesOf(profile, { from: 1150, to: 1600 }, '/somewhere')

test('adds up a function over its call paths, within the span and without what is idle', () => {
  expect(times.map(({ where }) => where)).toEqual([
    'parse gateway/parse.ts:30',
    '(anonymous) node:internal/http:5'
  ])
  expect(times[0]?.share).toBeCloseTo(2 / 3)
})

test('prints shares', () => {
  expect(linesOf(times)[0]).toBe(' 66.7%  parse gateway/parse.ts:30')
})
