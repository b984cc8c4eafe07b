/** Tests the sums of a profile: unknown values are null, and only the elapsed part of the current
 * hour counts.
 */
import { expect, test } from '@jest/globals'
import { sparklineGridOf, outcomesOf, sparklineOf } from '../../../../api/profiles/agent-sums.ts'
import { tokensOf } from '../../../../api/profiles/agent-sums.ts'
import { volumeOf } from '../../../../api/profiles/agent-sums.ts'
import type { SumRow } from '../../../../api/stats/select-sums.ts'
import type { Sums } from '../../../../api/stats/sum-sources.ts'

const hour = 3_600_000

function row(bucket: number, sums: Sums, key = '[]'): SumRow {
  return { key, identity: '[]', bucket, sums }
}

test.each([
  [24, 24, 1, false],
  [25, 24, 1, true],
  [2, 2, 1, false],
  [1, 1, 1, false],
  [27, 13, 2, true],
  [169, 24, 7, true],
  [2161, 24, 90, true]
])('divides %i hours into %i points of %i hours', (hours, points, every, skipsFirst) => {
  const grid = sparklineGridOf({ from: 0, to: hours * hour, hoursOver: hours })
  const shown = sparklineOf([], grid)
  expect([shown.length, grid.skipsFirst, grid.starts[0]]).toEqual([points, skipsFirst, 0])
  expect(grid.starts.at(-1)).toBe((hours - every) * hour)
})

test('includes points without decisions', () => {
  const grid = sparklineGridOf({ from: 0, to: 2 * hour, hoursOver: 2 })
  const shown = sparklineOf([row(2, { decisions: 5 }), row(0, { decisions: 9 })], grid)
  expect(shown.map(({ n }) => n)).toEqual([0, 5])
})

test('computes the change from the number of decisions per hour', () => {
  const range = { from: 0, to: 10 * hour, hoursOver: 9 }
  const grown = volumeOf([row(0, { decisions: 10 }), row(1, { decisions: 18 })], range)
  expect(grown).toEqual({ now: 18, previous: 10, change: 1 })
  expect(volumeOf([row(1, { decisions: 18 })], range).change).toBeNull()
})

test('reports null for tokens that no decision reports', () => {
  const nothing = { n: 2, since: null, sessions: 0, in_sessions: 0 }
  const sample = { ...nothing, input_tokens: [1, 2], output_tokens: null, latency_ms: null }
  const sums = { input_tokens: 3, input_tokens_known: 2, output_tokens: 0, output_tokens_known: 0 }
  expect(tokensOf(sums, sample)).toEqual({
    input: { total: 3, n: 2, p50: 1, p95: 2 },
    output: { total: null, n: 0, p50: null, p95: null },
    output_per_input: null
  })
})

test('counts decisions without runs separately, with the verdict none', () => {
  const rows = [
    row(1, { decisions: 3, judged: 3, passed: 3 }, '["evaluated","pass"]'),
    row(1, { decisions: 1, judged: 0, passed: 0 }, '["failed","none"]'),
    row(0, { decisions: 5, judged: 5, passed: 0 }, '["evaluated","fail"]')
  ]
  expect(outcomesOf(rows, 10)).toMatchObject({
    verdicts: { pass: 3, fail: 0, mixed: 0, none: 7 },
    evaluation: { evaluated: 3, failed: 1, without_runs: 6 },
    pass_rate: { value: 1, n: 3, previous: { value: 0, n: 5 } }
  })
})
