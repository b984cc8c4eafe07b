/** Tests the counts of a test run, which decide whether it passed. */
import { describe, expect, test } from '@jest/globals'
import { closingLine, hasPassed, slowestOf, tableOf, timed } from '../../../support/runner/tally.ts'
import type { PhaseResult } from '../../../support/runner/tally.ts'

function result(phase: string, ...counts: [number, number?, number?]): PhaseResult {
  const [passed, failed = 0, skipped = 0] = counts
  return { phase, passed, failed, skipped, elapsedMs: 1234 }
}

describe('closingLine', () => {
  test('sums the phases, and mentions skipped tests only if there are any', () => {
    expect(closingLine([result('unit', 3), result('e2e', 4, 1)])).toBe('7 passed, 1 failed')
    expect(closingLine([result('unit', 3, 0, 2)])).toBe('3 passed, 0 failed, 2 skipped')
  })
})

test('a run passes when something passed and nothing failed', () => {
  expect(hasPassed([result('unit', 1)])).toBe(true)
  expect(hasPassed([result('unit', 1), result('e2e', 0, 1)])).toBe(false)
  expect(hasPassed([result('unit', 0, 0, 5)])).toBe(false)
  expect(hasPassed([])).toBe(false)
})

test('the table has a row for each phase with its time', () => {
  expect(tableOf([result('unit', 12, 0, 1)])).toEqual([
    'phase  passed  failed  skipped  total file time',
    'unit   12      0       1        1.2 s'
  ])
})

test('lists the ten slowest files, slowest first', () => {
  const files = Array.from({ length: 12 }, (_, at) => ({ path: `${at}.ts`, elapsedMs: at * 1000 }))
  const lines = slowestOf(files)
  expect(lines).toHaveLength(11)
  expect(lines.slice(1, 3)).toEqual(['11.ts          11.0 s', '10.ts          10.0 s'])
})

test('timed adds the name and the time to the counts', async () => {
  const timedResult = await timed('unit', () =>
    Promise.resolve({ passed: 1, failed: 2, skipped: 3 })
  )
  expect(timedResult).toMatchObject({ phase: 'unit', passed: 1, failed: 2, skipped: 3 })
  expect(timedResult.elapsedMs).toBeGreaterThanOrEqual(0)
})
