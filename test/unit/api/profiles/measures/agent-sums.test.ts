/** Sums laid out for a profile: nothing known is null, and the hour that goes on counts in part. */
import { expect, test } from '@jest/globals'
import { lineOf, outcomesOf, sparklineOf } from '../../../../../api/profiles/measures/agent-sums.ts'
import { tokensOf } from '../../../../../api/profiles/measures/agent-sums.ts'
import { volumeOf } from '../../../../../api/profiles/measures/agent-sums.ts'
import type { SumRow } from '../../../../../api/stats/sum-rows.ts'

const hour = 3_600_000

function row(bucket: number, sums: Record<string, number>, key = '[]'): SumRow {
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
])('a line of %i hours has %i points of %i', (hours, points, every, skipsFirst) => {
  const line = lineOf({ from: 0, to: hours * hour, hoursOver: hours })
  const shown = sparklineOf([], line)
  expect([shown.length, line.skipsFirst, line.starts[0]]).toEqual([points, skipsFirst, 0])
  expect(line.starts.at(-1)).toBe((hours - every) * hour)
})

test('a line has a point where nothing happened', () => {
  const line = lineOf({ from: 0, to: 2 * hour, hoursOver: 2 })
  const shown = sparklineOf([row(2, { decisions: 5 }), row(0, { decisions: 9 })], line)
  expect(shown.map(({ n }) => n)).toEqual([0, 5])
})

test('growth is of the number in an hour', () => {
  const range = { from: 0, to: 10 * hour, hoursOver: 9 }
  const grown = volumeOf([row(0, { decisions: 10 }), row(1, { decisions: 18 })], range)
  expect(grown).toEqual({ now: 18, previous: 10, change: 1 })
  expect(volumeOf([row(1, { decisions: 18 })], range).change).toBeNull()
})

test('tokens that nobody told are not 0', () => {
  const nothing = { n: 2, since: null, sessions: 0, in_sessions: 0 }
  const sample = { ...nothing, input_tokens: [1, 2], output_tokens: null, latency_ms: null }
  const sums = { input_tokens: 3, input_tokens_known: 2, output_tokens: 0, output_tokens_known: 0 }
  expect(tokensOf(sums, sample)).toEqual({
    input: { total: 3, n: 2, p50: 1, p95: 2 },
    output: { total: null, n: 0, p50: null, p95: null },
    output_per_input: null
  })
})

test('decisions without any run have no verdict, and are told apart', () => {
  const rows = [
    row(1, { decisions: 3, judged: 3, passed: 3 }, '["evaluated","pass"]'),
    row(1, { decisions: 1, judged: 0, passed: 0 }, '["failed","none"]'),
    row(0, { decisions: 5, judged: 5, passed: 0 }, '["evaluated","fail"]')
  ]
  expect(outcomesOf(rows, 10)).toMatchObject({
    verdicts: { pass: 3, fail: 0, mixed: 0, none: 7 },
    evaluation: { evaluated: 3, failed: 1, without_runs: 6 },
    pass_rate: { value: 1, n: 3 },
    pass_rate_before: { value: 0, n: 5 }
  })
})
