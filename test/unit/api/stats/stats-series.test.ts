/** Tests the times at which the version of an evaluator changes. */
import { expect, test } from '@jest/globals'
import { breaksOf } from '../../../../api/stats/stats-series.ts'

const empty = { value: null, n: 0, ci: null }

/** Returns the series of a version whose first score is at this hour. */
function aSeries(version: number, hour: number) {
  const points = [0, 1, 2, 3].map((index) => {
    return { t: `2026-01-31T0${index}:00:00.000Z`, ...empty, n: index < hour ? 0 : 1 }
  })
  const names = { metric: 'score:tone', key: {}, is_other: false, source: 'evaluator' }
  return { ...names, evaluator_id: 'evl_tone', version, points, total: empty, previous: null }
}

function changesOf(series: Parameters<typeof breaksOf>[0]) {
  return breaksOf(series).map(({ at, from_version, to_version }) => {
    return [Number(at.slice(11, 13)), from_version, to_version]
  })
}

test('lists changes of the version by time, also a change to a lower version', () => {
  const series = [aSeries(10, 0), aSeries(8, 1), aSeries(11, 2), aSeries(9, 3)]
  expect(changesOf(series)).toEqual([
    [1, 10, 8],
    [2, 8, 11],
    [3, 11, 9]
  ])
})

test('lists versions that start at the same time in ascending order', () => {
  const series = [aSeries(10, 1), aSeries(9, 1), aSeries(8, 2)]
  expect(changesOf(series)).toEqual([
    [1, 9, 10],
    [2, 10, 8]
  ])
})
