/** Formats measurements as a table: medians of the rounds, and ratios to the row `floor` of the
 * same round.
 */
import { markdownTable } from './markdown.ts'
import { median } from './median.ts'
import { driveNames } from '../row.ts'
import type { DriveName, Measurement } from '../row.ts'

interface TableRow extends Omit<Measurement, 'round'> {
  /**
   * CPU time divided by the floor's CPU time (2 means twice as much), or null if the floor was not
   * measured.
   */
  readonly cpu_ratio: number | null
  /**
   * Requests/s divided by the floor's requests/s (0.5 means half as many), or null if the floor was
   * not measured.
   */
  readonly rate_ratio: number | null
}

/** Returns one line for each row and load, in the order of measurement. */
export function tableOf(measurements: readonly Measurement[], floor: string): TableRow[] {
  return driveNames.flatMap((drive: DriveName) => {
    const driven = measurements.filter((one) => one.drive === drive)
    const groups = Map.groupBy(driven, ({ row }) => row)
    return [...groups.values()].map((rounds) => lineOf(rounds, measurements, floor))
  })
}

function lineOf(
  rounds: readonly Measurement[],
  all: readonly Measurement[],
  floor: string
): TableRow {
  const pairs = rounds.flatMap((round) => {
    const base = all.find((one) => one.row === floor && isBeside(one, round))
    return base === undefined ? [] : [{ round, base }]
  })
  const ratio = (pick: (measurement: Measurement) => number): number | null =>
    pairs.length === 0 ? null : median(pairs.map(({ round, base }) => pick(round) / pick(base)))
  return {
    ...mediansOf(rounds),
    cpu_ratio: ratio((measurement) => measurement.cpu_us_per_accepted),
    rate_ratio: ratio((measurement) => measurement.requests_per_second)
  }
}

/**
 * Checks whether two measurements have the same round and drive. With the default options, such
 * measurements are at most about half a minute apart, so a disturbance of the machine affects both.
 */
function isBeside(left: Measurement, right: Measurement): boolean {
  return left.drive === right.drive && left.round === right.round
}

function mediansOf(rounds: readonly Measurement[]): Omit<Measurement, 'round'> {
  const of = (pick: (round: Measurement) => number): number => median(rounds.map(pick))
  const sum = (pick: (round: Measurement) => number): number =>
    rounds.reduce((total, round) => total + pick(round), 0)
  return {
    row: rounds[0]?.row ?? '',
    drive: rounds[0]?.drive ?? 'full speed',
    requests_per_second: of((round) => round.requests_per_second),
    cpu_us_per_accepted: of((round) => round.cpu_us_per_accepted),
    cores: of((round) => round.cores),
    p50_ms: of((round) => round.p50_ms),
    p99_ms: of((round) => round.p99_ms),
    accepted: sum((round) => round.accepted),
    refused: sum((round) => round.refused)
  }
}

const columns: readonly (readonly [string, (row: TableRow) => string])[] = [
  ['system', (row) => row.row],
  ['load', (row) => row.drive],
  ['requests/s', (row) => row.requests_per_second.toFixed(0)],
  ['× floor', (row) => row.rate_ratio?.toFixed(2) ?? '–'],
  ['CPU µs/accepted', (row) => row.cpu_us_per_accepted.toFixed(1)],
  ['× floor', (row) => row.cpu_ratio?.toFixed(2) ?? '–'],
  ['cores', (row) => row.cores.toFixed(2)],
  ['p50 ms', (row) => row.p50_ms.toFixed(2)],
  ['p99 ms', (row) => row.p99_ms.toFixed(2)],
  ['accepted', (row) => String(row.accepted)],
  ['refused', (row) => String(row.refused)]
]
const wordColumns = 2

/** Formats the table. Rows that were not run come last. */
export function markdownOf(table: readonly TableRow[], notRun: readonly string[] = []): string {
  const lines = table.map((row) => columns.map(([, cellOf]) => cellOf(row)))
  const absent = notRun.map((row) => [row, 'not run', ...columns.slice(wordColumns).map(() => '–')])
  const heads = columns.map(([head]) => head)
  return markdownTable(heads, [...lines, ...absent], wordColumns)
}
