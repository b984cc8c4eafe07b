/** Tests the parsing of time ranges within the Postgres limits. */
import { expect, test } from '@jest/globals'
import { readTimeRange } from '../../../api/time-range.ts'

const now = Date.UTC(2026, 0, 31, 12)

function rangeOf(from?: string, to?: string) {
  const read = readTimeRange({ from, to }, now)
  if (read.kind === 'wrong') return read.errors
  return [read.range.from.toISOString(), read.range.to?.toISOString() ?? null]
}

test.each([
  [undefined, undefined, '2026-01-24T12:00:00.000Z', null],
  [undefined, '2026-01-10T00:00:00Z', '2026-01-03T00:00:00.000Z', '2026-01-10T00:00:00.000Z'],
  ['2026-01-01T00:00:00Z', undefined, '2026-01-01T00:00:00.000Z', null],
  ['2026-01-01t00:00:00z', undefined, '2026-01-01T00:00:00.000Z', null],
  ['2026-01-01T02:00:00+02:00', undefined, '2026-01-01T00:00:00.000Z', null],
  ['2025-12-31T18:30:00-05:30', undefined, '2026-01-01T00:00:00.000Z', null],
  ['2026-01-01T00:00:00.123456Z', undefined, '2026-01-01T00:00:00.123Z', null],
  ['2024-02-29T00:00:00Z', undefined, '2024-02-29T00:00:00.000Z', null],
  ['0001-01-01T00:00:00+14:00', undefined, '1970-01-01T00:00:00.000Z', null],
  ['-24h', undefined, '2026-01-30T12:00:00.000Z', null],
  ['-30m', 'now', '2026-01-31T11:30:00.000Z', '2026-01-31T12:00:00.000Z'],
  [undefined, '-7d', '2026-01-17T12:00:00.000Z', '2026-01-24T12:00:00.000Z'],
  ['-999999d', '-0m', '1970-01-01T00:00:00.000Z', '2026-01-31T12:00:00.000Z'],
  [undefined, '1970-01-02T00:00:00Z', '1970-01-01T00:00:00.000Z', '1970-01-02T00:00:00.000Z'],
  [
    '2026-01-01T00:00:00Z',
    '9999-12-31T23:59:59-14:00',
    '2026-01-01T00:00:00.000Z',
    '9999-12-31T00:00:00.000Z'
  ]
])('reads %s to %s', (from, to, ...expected) => {
  expect(rangeOf(from, to)).toEqual(expected)
})

const notTimes = [
  '',
  'NOW',
  '24h',
  '+24h',
  '-24',
  '-h',
  '-1.5h',
  '-1w',
  '-1234567d',
  '2026-01-31',
  '2026-01-31T12:00:00',
  '2026-01-31 12:00:00Z',
  '2026-02-30T12:00:00Z',
  '2026-13-01T12:00:00Z',
  '2026-01-31T24:00:00Z',
  '2026-01-31T12:60:00Z',
  '2026-01-31T12:00:00+24:00',
  '+002026-01-31T12:00:00Z',
  '1769860800000'
]

test.each(notTimes)('refuses "%s"', (text) => {
  expect(rangeOf(text)).toEqual([{ pointer: '/from', detail: expect.stringContaining('RFC 3339') }])
  expect(rangeOf(undefined, text)).toEqual([
    { pointer: '/to', detail: expect.stringContaining('RFC 3339') }
  ])
})

test('names both ends if neither is a time', () => {
  expect(rangeOf('yesterday', 'x')).toEqual([
    { pointer: '/from', detail: expect.stringContaining('RFC 3339') },
    { pointer: '/to', detail: expect.stringContaining('RFC 3339') }
  ])
})

test('rejects a range whose end is not after its start', () => {
  const wrong = [{ pointer: '/from', detail: 'must be before `to`' }]
  expect(rangeOf('2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z')).toEqual(wrong)
  expect(rangeOf('2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')).toEqual(wrong)
})
