/** Tests that the bars of the histogram add up the verdicts of each interval. */
import { expect, test } from '@jest/globals'
import { barsOf } from '../../../../../../console/src/pages/decisions/histogram-bars.ts'

type Stats = Parameters<typeof barsOf>[0]

function seriesOf(verdict: string, values: readonly (number | null)[]): Stats['series'][number] {
  const points = values.map((value, hour) => ({
    t: `2026-01-31T0${hour}:00:00.000Z`,
    value,
    n: 0,
    ci: null
  }))
  const total = { value: null, n: 0, ci: null }
  const unused = { source: null, evaluator_id: null, version: null, previous: null, total }
  return { ...unused, metric: 'count', key: { verdict }, is_other: false, points }
}

test('adds up the verdicts, and counts the decisions that failed a score', () => {
  const series = [seriesOf('pass', [3, null]), seriesOf('fail', [1, 2]), seriesOf('mixed', [5])]
  const meta = { applied: { to: '2026-01-31T02:00:00.000Z' } } as Stats['meta']
  expect(barsOf({ series, breaks: [], meta })).toEqual([
    { from: series[1]?.points[0]?.t, to: series[1]?.points[1]?.t, total: 9, failed: 6 },
    { from: series[1]?.points[1]?.t, to: '2026-01-31T02:00:00.000Z', total: 2, failed: 2 }
  ])
})
