/** Tests times in a zone, sizes and durations. */
import { expect, test } from '@jest/globals'
import {
  bytesOf,
  formatBytes,
  formatDuration,
  formatTime
} from '../../../../../console/src/text/format.ts'

test('formats a time in the zone, with milliseconds', () => {
  const iso = '2026-01-31T23:30:05.190Z'
  expect(formatTime(iso, 'UTC')).toBe('2026-01-31 23:30:05.190')
  expect(formatTime(iso, 'Asia/Kolkata')).toBe('2026-02-01 05:00:05.190')
})

test('counts bytes of UTF-8', () => {
  expect(formatBytes(bytesOf('é😀'))).toBe('6 bytes')
  expect(formatBytes(1)).toBe('1 byte')
  expect(formatBytes(12_408)).toBe('12,408 bytes')
})

test('formats durations', () => {
  expect([null, 40, 655_000].map(formatDuration)).toEqual(['', '40 µs', '655 ms'])
})
