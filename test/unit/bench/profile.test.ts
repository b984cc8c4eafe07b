/** Tests the analysis of CPU profiles: time by function and by package. */
import { expect, test } from '@jest/globals'
import { ownersOf, selfTimesOf } from '../../../bench/profile.ts'

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

test("adds up a function's time over all call paths in the span, without idle time", () => {
  expect(times.map(({ where }) => where)).toEqual([
    'parse gateway/parse.ts:30',
    '(anonymous) node:internal/http:5'
  ])
  expect(times[0]?.share).toBeCloseTo(2 / 3)
})

test('attributes time in the runtime to the package that called it', () => {
  const frameOf = (functionName: string, url: string) => ({ functionName, url, lineNumber: 1 })
  const nodes = [
    { id: 1, callFrame: frameOf('(root)', ''), children: [2, 4, 6] },
    {
      id: 2,
      callFrame: frameOf('send', 'file:///r/node_modules/@a/kafka/dist/x.js'),
      children: [3]
    },
    { id: 3, callFrame: frameOf('writeBuffer', ''), children: [] },
    { id: 4, callFrame: frameOf('emit', 'node:events'), children: [5] },
    { id: 5, callFrame: frameOf('ingest', 'file:///r/gateway/ingest/ingest.ts') },
    { id: 6, callFrame: frameOf('(garbage collector)', '') }
  ]
  const [samples, timeDeltas] = [
    [2, 3, 4, 5, 6],
    [10, 30, 5, 40, 15]
  ]
  const owners = ownersOf({ startTime: 0, samples, timeDeltas, nodes }, { from: 0, to: 100 }, '/r')
  expect(owners).toEqual([
    { where: '@a/kafka', share: 0.4 },
    { where: 'gateway', share: 0.4 },
    { where: '(garbage collector)', share: 0.15 },
    { where: 'Node.js', share: 0.05 }
  ])
})
