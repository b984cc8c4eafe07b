/** Tests the CPU time read from /proc. */
import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import {
  cpuMicroseconds,
  familyMicroseconds,
  familyTicksIn,
  fieldsOf,
  ranFor
} from '../../../../bench/system/cpu.ts'

test('reads nanoseconds of CPU time', () => {
  expect(ranFor('123456789 42 7\n')).toBe(123_456_789)
})

test('measures more CPU time while this process works', () => {
  const before = cpuMicroseconds([process.pid])
  let sum = 0
  for (let at = 0; at < 3e7; at++) sum += at % 7
  expect(sum).toBeGreaterThan(0)
  expect(cpuMicroseconds([process.pid])).toBeGreaterThan(before)
})

test('adds up several processes', () => {
  const one = cpuMicroseconds([process.pid])
  expect(cpuMicroseconds([process.pid, process.pid])).toBeGreaterThanOrEqual(2 * one)
})

test('includes children that have ended', () => {
  const before = familyMicroseconds([process.pid])
  execFileSync(process.execPath, ['-e', 'for (let at = 0; at < 1e8; at++);'])
  expect(familyMicroseconds([process.pid]) - before).toBeGreaterThan(20_000)
  const stat = '42 (a) S 1 42 42 0 -1 4194304 10 20 30 40 5 6 70 8 20 0 1'
  expect(familyTicksIn(stat)).toBe(89)
  expect(familyTicksIn('')).toBe(0)
})

test('parses a process name that looks like fields', () => {
  expect(fieldsOf('42 (a) b (c) S 1 2 3')).toEqual(['S', '1', '2', '3'])
})
