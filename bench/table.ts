/** Measurements as a table: medians over the rounds, and ratios to the first row. */
import type { Measurement } from './row.ts'
import { median } from './statistics.ts'

export interface TableRow extends Measurement {
  /** Against the first row: more than 1 is more processor time for a decision. */
  readonly cpu_ratio: number
}

export function tableOf(measurements: readonly Measurement[]): TableRow[] {
  const groups = [...Map.groupBy(measurements, ({ row }) => row).values()]
  const medians = groups.map(mediansOf)
  const base = medians[0]?.cpu_us_per_accepted ?? Number.NaN
  return medians.map((row) => ({ ...row, cpu_ratio: row.cpu_us_per_accepted / base }))
}

function mediansOf(rounds: readonly Measurement[]): Measurement {
  const of = (pick: (round: Measurement) => number): number => median(rounds.map(pick))
  const sum = (pick: (round: Measurement) => number): number =>
    rounds.reduce((total, round) => total + pick(round), 0)
  return {
    row: rounds[0]?.row ?? '',
    requests_per_second: of((round) => round.requests_per_second),
    cpu_us_per_accepted: of((round) => round.cpu_us_per_accepted),
    p50_ms: of((round) => round.p50_ms),
    p99_ms: of((round) => round.p99_ms),
    accepted: sum((round) => round.accepted),
    refused: sum((round) => round.refused)
  }
}

const heads = [
  'system',
  'requests/s',
  'CPU µs/accepted',
  'ratio',
  'p50 ms',
  'p99 ms',
  'accepted',
  'refused'
]

/** A Markdown table, aligned so that it reads well in a terminal too. */
export function markdownOf(table: readonly TableRow[]): string {
  const cells = table.map((row) => [
    row.row,
    row.requests_per_second.toFixed(0),
    row.cpu_us_per_accepted.toFixed(1),
    row.cpu_ratio.toFixed(2),
    row.p50_ms.toFixed(2),
    row.p99_ms.toFixed(2),
    String(row.accepted),
    String(row.refused)
  ])
  const widths = heads.map((head, at) =>
    Math.max(head.length, ...cells.map((line) => line[at]?.length ?? 0))
  )
  const lineOf = (line: readonly string[]): string =>
    `| ${line.map((cell, at) => padded(cell, at, widths)).join(' | ')} |`
  const rules = widths.map((width, at) => '-'.repeat(width + 1) + (at === 0 ? '-' : ':'))
  const rule = `|${rules.join('|')}|`
  return [lineOf(heads), rule, ...cells.map(lineOf)].join('\n')
}

/** Names stand to the left, figures to the right. */
function padded(cell: string, at: number, widths: readonly number[]): string {
  return at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)
}
