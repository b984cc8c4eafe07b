/** Tests the table of pipeline goals: whether each goal is met, and the figures of the previous
 * release.
 */
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
  ['CPU-µs per decision, everything', 'yes'],
  ['decisions/s', 'no'],
  ['bytes per decision in Postgres', 'no'],
  ['bytes per decision of write-ahead log', 'yes'],
  ['wait to be stored while evaluations wait, p50', 'yes'],
  ['wait to be stored while evaluations wait, longest', 'no'],
  ['storage of decisions / COPY', 'yes'],
  ['CPU-µs per decision, evaluation', 'yes']
])('shows whether the goal of %s is met', (goal, isMet) => {
  expect(lineOf(goal)[4]).toBe(isMet)
})

test('shows the recorded figure of the previous release', () => {
  expect(lineOf('CPU-µs per decision, everything')).toEqual([
    '1350',
    '330',
    '–',
    '≤ 330',
    'yes',
    '230'
  ])
})

test('shows the measured figure of the previous release and the ratio', () => {
  expect(lineOf('decisions/s', { decisions_per_second: 1000 })).toEqual([
    '1000',
    '2999',
    '3.00',
    '≥ 3000',
    'no',
    '5000'
  ])
})
