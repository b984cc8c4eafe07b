/** The goals of the whole system. */
import { expect, test } from '@jest/globals'
import { markdownOfPipelineGoals } from '../../../../bench/report/pipeline-goals.ts'
import type { PipelineFigures } from '../../../../bench/report/pipeline-goals.ts'

const measured: PipelineFigures = {
  ...{ cpu_us: 330, decisions_per_second: 2999, postgres_bytes: 3301, wal_bytes: 4500 },
  ...{ wait_p50_s: 0.2, wait_max_s: NaN, evaluation_us: 80, copy_ratio: 0.5 }
}

function lineOf(goal: string, before: Partial<PipelineFigures> = {}): string[] {
  const lines = markdownOfPipelineGoals(measured, before).split('\n')
  const cells = lines.find((line) => line.startsWith(`| ${goal}`))?.split('|') ?? []
  return cells.map((cell) => cell.trim()).slice(2, -1)
}

test.each([
  ['CPU-µs a decision, everything', 'yes'],
  ['decisions/s', 'no'],
  ['bytes a decision in Postgres', 'no'],
  ['bytes a decision of write-ahead log', 'yes'],
  ['wait to be stored while evaluations wait, p50', 'yes'],
  ['wait to be stored while evaluations wait, longest', 'no'],
  ['storage of decisions / COPY', 'yes'],
  ['CPU-µs a decision, evaluation', 'yes']
])('says whether the goal of %s is met', (goal, isMet) => {
  expect(lineOf(goal)[4]).toBe(isMet)
})

test('shows what was known of the release before', () => {
  expect(lineOf('CPU-µs a decision, everything')).toEqual([
    '1350',
    '330',
    '–',
    '≤ 330',
    'yes',
    '230'
  ])
})

test('shows the release before as it was measured in the same run, and the ratio to it', () => {
  expect(lineOf('decisions/s', { decisions_per_second: 1000 })).toEqual([
    '1000',
    '2999',
    '3.00',
    '≥ 3000',
    'no',
    '5000'
  ])
})
