/** Tests that the shifted clock changes only the current time. */
import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { shiftClock } from '../../faults/storage/shift-clock.ts'

const program = `
  const given = new Date(86400000)
  const made = new Date()
  process.stdout.write(JSON.stringify({
    now: Date.now(), made: made.getTime(), given: given.getTime(), parsed: Date.parse('1970-01-02'),
    isDate: made instanceof Date, text: given.toISOString()
  }))`

test('shifts only the current time', () => {
  const hourMs = 3_600_000
  const before = Date.now()
  const said = execFileSync(process.execPath, ['-e', program], {
    env: { ...process.env, ...shiftClock(-hourMs) },
    encoding: 'utf8'
  })
  const after = Date.now()
  const { now, made, ...rest } = JSON.parse(said) as Record<string, number>
  for (const time of [now, made]) {
    expect(time).toBeGreaterThanOrEqual(before - hourMs)
    expect(time).toBeLessThanOrEqual(after - hourMs)
  }
  const day = { given: 86_400_000, parsed: 86_400_000, text: '1970-01-02T00:00:00.000Z' }
  expect(rest).toEqual({ ...day, isDate: true })
})
