/** The table of a benchmark. */
import { expect, test } from '@jest/globals'
import type { Measurement } from '../../../bench/row.ts'
import { markdownOf, tableOf } from '../../../bench/table.ts'

function aMeasurement(row: string, cpu: number): Measurement {
  const latencies = { p50_ms: 1, p99_ms: 2 }
  return {
    row,
    requests_per_second: 10,
    cpu_us_per_accepted: cpu,
    ...latencies,
    accepted: 5,
    refused: 1
  }
}

const rounds = [50, 60, 1000].flatMap((cpu) => [
  aMeasurement('floor', cpu),
  aMeasurement('gateway', cpu * 2)
])

test('takes the median of the rounds and the ratio to the first row', () => {
  const table = tableOf(rounds)
  expect(table.map(({ cpu_us_per_accepted }) => cpu_us_per_accepted)).toEqual([60, 120])
  expect(table.map(({ cpu_ratio }) => cpu_ratio)).toEqual([1, 2])
})

test('adds up what was accepted and refused', () => {
  expect(tableOf(rounds)[0]).toMatchObject({ accepted: 15, refused: 3 })
})

test('is a Markdown table with one line for each row', () => {
  const lines = markdownOf(tableOf(rounds)).split('\n')
  expect(lines).toHaveLength(4)
  expect(lines[3]).toMatch(/^\| gateway \| +10 \| +120\.0 \| +2\.00 \|/)
})
