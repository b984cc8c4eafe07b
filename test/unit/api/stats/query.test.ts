/** Tests that the time ranges of statistics are extended to whole hours, and that the hours that
 * have passed are counted.
 */
import { describe, expect, test } from '@jest/globals'
import { hourRangeOf } from '../../../../api/stats/query.ts'
import type { PeriodTexts } from '../../../../api/stats/query.ts'
import { previousOf } from '../../../../api/stats/time-buckets.ts'

const now = Date.UTC(2026, 0, 31, 12, 30)

function shown(texts: PeriodTexts) {
  const { from, to, hoursOver } = hourRangeOf(texts, now)
  return [new Date(from).toISOString(), new Date(to).toISOString(), hoursOver]
}

test.each<[PeriodTexts, string, string, number]>([
  [{ window: '24h' }, '2026-01-30T12:00:00.000Z', '2026-01-31T13:00:00.000Z', 24.5],
  [{ window: '1h' }, '2026-01-31T11:00:00.000Z', '2026-01-31T13:00:00.000Z', 1.5],
  [{ window: '2d' }, '2026-01-29T12:00:00.000Z', '2026-01-31T13:00:00.000Z', 48.5],
  [{}, '2026-01-24T12:00:00.000Z', '2026-01-31T13:00:00.000Z', 168.5],
  [
    { from: '2026-01-01T00:10:00Z', to: '2026-01-01T02:00:00Z' },
    '2026-01-01T00:00:00.000Z',
    '2026-01-01T02:00:00.000Z',
    2
  ],
  [{ from: '-1h', to: 'now' }, '2026-01-31T11:00:00.000Z', '2026-01-31T13:00:00.000Z', 1.5]
])('extends %j to whole hours', (texts, from, to, hoursOver) => {
  expect(shown(texts)).toEqual([from, to, hoursOver])
})

describe('refuses', () => {
  test.each<[PeriodTexts, string]>([
    [{ window: '0h' }, '/window'],
    [{ window: '91d' }, '/window'],
    [{ window: '2161h' }, '/window'],
    [{ window: '24h', to: 'now' }, '/window'],
    [{ from: '-93d' }, '/from'],
    [{ from: '2027-01-01T00:00:00Z' }, '/from'],
    [{ from: 'yesterday' }, '/from']
  ])('%j', (texts, pointer) => {
    const refused = expect.objectContaining({ pointer })
    expect(() => hourRangeOf(texts, now)).toThrow(
      expect.objectContaining({
        code: 'invalid_query',
        options: expect.objectContaining({ errors: [refused] })
      })
    )
  })
})

test('gives the previous range the same number of hours, all in the past', () => {
  const range = hourRangeOf({ window: '24h' }, now)
  const before = previousOf(range)
  expect([before.to, before.hoursOver]).toEqual([range.from, 25])
})
