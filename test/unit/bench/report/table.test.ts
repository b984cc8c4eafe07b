/** Tests the comparison table: medians, ratios, order and sums. */
import { expect, test } from '@jest/globals'
import type { DriveName, Measurement } from '../../../../bench/row.ts'
import { tableOf } from '../../../../bench/report/table.ts'

function aMeasurement(changes: Partial<Measurement>): Measurement {
  const latencies = { p50_ms: 1, p99_ms: 2 }
  const counts = { accepted: 5, refused: 1 }
  const rates = { requests_per_second: 10, cpu_us_per_accepted: 1, cores: 0.5 }
  return {
    row: 'floor',
    drive: 'full speed',
    round: 1,
    ...rates,
    ...latencies,
    ...counts,
    ...changes
  }
}

/** In the third round, all measurements are at least ten times as high as in the others. */
const measurements = [50, 60, 600].flatMap((cpu, round) =>
  (['full speed', 'equal rate'] as DriveName[]).flatMap((drive) => [
    aMeasurement({ round, drive, cpu_us_per_accepted: cpu }),
    aMeasurement({ round, drive, cpu_us_per_accepted: cpu * (round + 2), row: 'gateway' })
  ])
)

test('takes the median of the rounds, and of the ratios within each round', () => {
  const [floor, gateway] = tableOf(measurements, 'floor')
  expect(floor).toMatchObject({ row: 'floor', cpu_us_per_accepted: 60, cpu_ratio: 1 })
  expect(gateway).toMatchObject({ row: 'gateway', cpu_us_per_accepted: 180, cpu_ratio: 3 })
})

test('separates loads and keeps their order', () => {
  const lines = tableOf(measurements, 'floor').map(({ drive, row }) => `${drive} ${row}`)
  expect(lines).toEqual([
    'full speed floor',
    'full speed gateway',
    'equal rate floor',
    'equal rate gateway'
  ])
})

test('adds up accepted and refused decisions', () => {
  expect(tableOf(measurements, 'floor')[0]).toMatchObject({ accepted: 15, refused: 3 })
})

test('has no ratio without a floor', () => {
  const [only] = tableOf([aMeasurement({ row: 'gateway' })], 'floor')
  expect(only).toMatchObject({ cpu_ratio: null, rate_ratio: null })
})
