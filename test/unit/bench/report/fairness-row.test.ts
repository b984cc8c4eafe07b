/** Tests the rows of the fairness table: missed goals, and responses by status. */
import { expect, test } from '@jest/globals'
import { markdownOfFairness, missedBy } from '../../../../bench/report/fairness-row.ts'
import type { FairnessRow } from '../../../../bench/report/fairness-row.ts'

const before = {
  ingest: { p50_ms: 5, p99_ms: 20 },
  read: { p50_ms: 10, p99_ms: 40 },
  refused: {}
}
const quiet: FairnessRow = {
  ...before,
  attack: 'quiet',
  quiet: before,
  longest_pause_ms: 30,
  recovered_after_s: 0,
  answers: {},
  attacker_cores: 0
}

function rowOf(ingestMs: number, readMs: number, pauseMs: number): FairnessRow {
  const [ingest, read] = [ingestMs, readMs].map((p99_ms) => ({ p50_ms: 5, p99_ms }))
  return { ...quiet, attack: 'bad', ingest, read, longest_pause_ms: pauseMs } as FairnessRow
}

test.each([
  [60, 120, 100, []],
  [61, 120, 100, ['ingest']],
  [60, 121, 100, ['read']],
  [60, 120, 101, ['pause']],
  [NaN, NaN, NaN, ['ingest', 'read', 'pause']]
])('reports p99 of %d and %d and a pause of %d as missing %j', (ingest, read, pause, missed) => {
  expect(missedBy(rowOf(ingest, read, pause))).toEqual(missed)
})

test('lists responses by status, or a dash if there are none', () => {
  const bad = { ...rowOf(200, NaN, 2200), refused: { 503: 2 }, answers: { 422: 3, open: 1 } }
  const [, , first, second] = markdownOfFairness([quiet, bad])
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
  expect(first?.slice(1, 5)).toEqual(['quiet', '–', '–', '–'])
  expect(second?.slice(1, 5)).toEqual(['bad', 'ingest, read, pause', '503: 2', '422: 3, open: 1'])
  expect(second?.slice(5, 12)).toEqual(['5.0', '200.0', '10.0', '5.0', '–', '–', '2200'])
})
