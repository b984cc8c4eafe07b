/** Tests the performance goals of the comparison. */
import { expect, test } from '@jest/globals'
import { goalsOf, markdownOfGoals } from '../../../../bench/report/goals.ts'
import type { DriveName, Measurement } from '../../../../bench/row.ts'
import { lingerMs } from '../../../../bench/rows/broker.ts'

function aMeasurement(changes: Partial<Measurement>): Measurement {
  const rates = { requests_per_second: 10, cpu_us_per_accepted: 1, cores: 0.5 }
  const answers = { p50_ms: 1, p99_ms: 2, accepted: 5, refused: 1 }
  return { row: 'floor', drive: 'equal rate', round: 1, ...rates, ...answers, ...changes }
}

function reached(measurements: readonly Measurement[], goal: string, drive: DriveName) {
  return goalsOf(measurements).find((one) => one.goal.includes(goal) && one.drive === drive)
}

/** In the second round, all measurements are about five to ten times as high as in the others. */
const measurements = [10, 100, 20].flatMap((cpu, round) => [
  aMeasurement({ round, cpu_us_per_accepted: cpu }),
  aMeasurement({ round, row: 'gateway', cpu_us_per_accepted: cpu * (2 + round / 10) })
])

test('computes the median of the ratios within each round', () => {
  expect(reached(measurements, 'gateway / floor', 'equal rate')?.reached).toBeCloseTo(2.1)
})

test('returns null for a row that was not run', () => {
  expect(reached(measurements, 'gateway / collector', 'equal rate')?.reached).toBeNull()
  expect(reached(measurements, 'gateway / floor', 'full speed')?.reached).toBeNull()
})

test('compares the response time with the linger time and three produce requests', () => {
  const half = { drive: 'half load' } as const
  const both = [
    aMeasurement({ ...half, row: 'gateway', p99_ms: lingerMs + 15 }),
    aMeasurement({ ...half, row: 'broker', p99_ms: 5 })
  ]
  expect(reached(both, 'p99', 'half load')?.reached).toBeCloseTo(1)
})

test('shows yes, no, or not run in a table', () => {
  const dear = aMeasurement({ round: 3, row: 'gateway', cpu_us_per_accepted: 3 })
  const lineOf = (of: readonly Measurement[], row: RegExp) =>
    markdownOfGoals(goalsOf(of))
      .split('\n')
      .find((line) => row.test(line))
  const floor = /gateway \/ floor +\| equal rate/
  expect(lineOf(measurements, floor)).toMatch(/\| +2\.10 +\| +2\.20 +\| +yes \|$/)
  expect(lineOf([aMeasurement({ round: 3 }), dear], floor)).toMatch(/\| +3\.00 .* no \|$/)
  expect(lineOf(measurements, /p99/)).toMatch(/\| not run +\| +1\.00 +\| +– \|$/)
})

test.each([
  ['gateway-batch', 20],
  ['gateway-traces', 30]
])('compares the p99 of %s at half load with %d ms', (row, at_most) => {
  const half = { drive: 'half load', row } as const
  const rounds = [30, 10, 18].map((p99_ms, round) => aMeasurement({ ...half, round, p99_ms }))
  expect(reached(rounds, `in ms, ${row}`, 'half load')).toMatchObject({ reached: 18, at_most })
  expect(reached(measurements, `in ms, ${row}`, 'half load')?.reached).toBeNull()
})

test.each<[DriveName, [string, number][]]>([
  [
    'equal rate',
    [
      ['gateway / collector', 0.75],
      ['gateway / collector-json', 0.75],
      ['gateway / floor', 2.2],
      ['gateway-batch / collector-batch', 0.9],
      ['gateway-batch / collector-batch-json', 0.9],
      ['gateway-batch / floor', 0.55],
      ['gateway-traces / collector-traces', 1.5]
    ]
  ],
  [
    'full speed',
    [
      ['gateway / collector', 0.75],
      ['gateway / collector', 0.8],
      ['gateway / collector-json', 0.75],
      ['gateway / floor', 2.2],
      ['gateway-batch / collector-batch', 0.9],
      ['gateway-batch / collector-batch-json', 0.9],
      ['gateway-batch / floor', 0.3],
      ['gateway-traces / collector-traces', 1.5]
    ]
  ],
  ['full speed, unicode', [['gateway-batch / collector-batch-json', 0.5]]]
])('has these CPU goals at %s', (load, expected) => {
  const goals = goalsOf([]).filter(({ drive }) => drive === load)
  const pairs = goals.map(({ goal, at_most }) => [goal.slice(goal.indexOf(',') + 2), at_most])
  expect(pairs).toEqual(expected)
})
