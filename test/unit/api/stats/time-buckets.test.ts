/** Tests where the points of a series start: on the hour, or at midnight in a time zone with clock
 * changes.
 */
import { describe, expect, test } from '@jest/globals'

import { bucketsOf, isTimeZone, rangeOfHours } from '../../../../api/stats/time-buckets.ts'

const hour = 3_600_000

function range(from: string, to: string) {
  return rangeOfHours(Date.parse(from), Date.parse(to), Date.parse(to))
}

function texts(starts: readonly number[]): readonly string[] {
  return starts.map((start) => new Date(start).toISOString())
}

test.each([
  ['2026-01-02T00:00:00Z', 'hour', 1, 24],
  ['2026-01-04T00:00:00Z', 'hour', 3, 24],
  ['2026-01-08T00:00:00Z', 'hour', 3, 56],
  ['2026-01-15T00:00:00Z', 'hour', 6, 56],
  ['2026-01-31T00:00:00Z', 'day', 1, 30],
  ['2026-04-01T00:00:00Z', 'day', 2, 45]
])('splits a range to %s by %s, %i per point, into %i points', (to, interval, every, points) => {
  const buckets = bucketsOf(range('2026-01-01T00:00:00Z', to), 'auto', 'UTC')
  expect([buckets.interval, buckets.every, buckets.starts.length]).toEqual([
    interval,
    every,
    points
  ])
})

test('returns one point for the interval none', () => {
  const { starts } = bucketsOf(range('2026-01-01T00:00:00Z', '2026-01-09T00:00:00Z'), 'none', 'UTC')
  expect(texts(starts)).toEqual(['2026-01-01T00:00:00.000Z'])
})

test('aligns hours to the clock, even if the range starts in between', () => {
  const { starts } = bucketsOf(range('2026-01-01T02:00:00Z', '2026-01-04T02:00:00Z'), 'auto', 'UTC')
  expect(texts(starts.slice(0, 2))).toEqual([
    '2026-01-01T00:00:00.000Z',
    '2026-01-01T03:00:00.000Z'
  ])
})

describe('days', () => {
  test('have 23 or 25 hours when clocks change', () => {
    const spring = bucketsOf(
      range('2026-03-28T12:00:00Z', '2026-03-31T00:00:00Z'),
      'day',
      'Europe/Berlin'
    )
    expect(texts(spring.starts)).toEqual([
      '2026-03-27T23:00:00.000Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
      '2026-03-30T22:00:00.000Z'
    ])
    const autumn = bucketsOf(
      range('2026-10-31T12:00:00Z', '2026-11-03T00:00:00Z'),
      'day',
      'America/New_York'
    )
    const lengths = autumn.starts.slice(1).map((start, index) => start - autumn.starts[index]!)
    expect(lengths.map((length) => length / hour)).toEqual([24, 25])
  })

  test('start correctly with half-hour offsets and on days without midnight', () => {
    const india = bucketsOf(
      range('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'),
      'day',
      'Asia/Kolkata'
    )
    expect(texts(india.starts)).toEqual(['2025-12-31T18:30:00.000Z', '2026-01-01T18:30:00.000Z'])
    const cairo = bucketsOf(
      range('2026-04-23T12:00:00Z', '2026-04-26T00:00:00Z'),
      'day',
      'Africa/Cairo'
    )
    expect(cairo.starts).toEqual(cairo.starts.toSorted((left, right) => left - right))
    expect(cairo.starts).toHaveLength(4)
  })
})

test.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['+02:00', false],
  ['Mars/Olympus', false],
  ['', false]
])('%s is a time zone: %s', (name, isOne) => {
  expect(isTimeZone(name)).toBe(isOne)
})
