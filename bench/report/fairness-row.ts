/** Fairness table: computes and formats the effect of each attack on an innocent organization. */
import { createHistogram } from '../load/histogram.ts'
import type { FlowReport } from '../load/send-flows.ts'
import type { Answers } from '../load/tally.ts'
import { markdownTable } from './markdown.ts'

export interface Impact {
  readonly ingest: Times
  readonly read: Times
  /** Number of unexpected responses by status. */
  readonly refused: Counts
}

export interface Times {
  readonly p50_ms: number
  readonly p99_ms: number
}

/**
 * Counts by status. `0` stands for broken connections, and `open` for requests that received no
 * response in time.
 */
export type Counts = Readonly<Record<string, number>>

export interface FairnessRow extends Impact {
  readonly attack: string
  /**
   * Impact without an attack. It includes a window immediately before the attack, because the
   * machine's speed can change.
   */
  readonly quiet: Impact
  readonly longest_pause_ms: number
  readonly recovered_after_s: number
  /** Responses to the attacker. */
  readonly answers: Counts
  readonly attacker_cores: number
}

/**
 * Maximum ratio of p99 to quiet p99, and maximum event loop pause. A row that exceeds either is
 * marked.
 */
export const fairnessGoals = { ratio: 3, pauseMs: 100 }

const accepted: Readonly<Record<string, number>> = { ingest: 202, read: 200 }

/** Combines the reports of one or more windows. */
export function impactIn(...reports: readonly FlowReport[]): Impact {
  const refused: Record<string, number> = {}
  const countRefused = (status: string, count: number): void => {
    if (count > 0) refused[status] = (refused[status] ?? 0) + count
  }
  for (const { open } of reports) countRefused('open', open)
  for (const [name, { statuses }] of reports.flatMap(({ groups }) => Object.entries(groups))) {
    for (const [status, count] of Object.entries(statuses)) {
      if (Number(status) !== accepted[name]) countRefused(status, count)
    }
  }
  const timesIn = (flow: string): Times => timesOf(reports.map(({ groups }) => groups[flow]))
  return { ingest: timesIn('ingest'), read: timesIn('read'), refused }
}

function timesOf(answers: readonly (Answers | undefined)[]): Times {
  const [first = [], ...others] = answers.map((each) => each?.latencies ?? [])
  const times = createHistogram(
    first.map((count, bucket) => others.reduce((sum, each) => sum + (each[bucket] ?? 0), count))
  )
  return { p50_ms: times.percentileMs(0.5), p99_ms: times.percentileMs(0.99) }
}

/** Returns the ratio of p99 to quiet p99 for each flow. */
export function ratiosOf(noticed: Impact, quiet: Impact) {
  return {
    ingest: noticed.ingest.p99_ms / quiet.ingest.p99_ms,
    read: noticed.read.p99_ms / quiet.read.p99_ms
  }
}

/**
 * Returns the goals that a row misses. Without responses the ratio is NaN, which counts as missed.
 */
export function missedBy(row: FairnessRow): string[] {
  const { ingest, read } = ratiosOf(row, row.quiet)
  return [
    ...(ingest <= fairnessGoals.ratio ? [] : ['ingest']),
    ...(read <= fairnessGoals.ratio ? [] : ['read']),
    ...(row.longest_pause_ms <= fairnessGoals.pauseMs ? [] : ['pause'])
  ]
}

export function textOf(counts: Counts): string {
  const texts = Object.entries(counts).map(([what, count]) => `${what}: ${count}`)
  return texts.join(', ') || '–'
}

type Cell = (row: FairnessRow) => string
const columns: readonly (readonly [string, Cell])[] = [
  ['attack', ({ attack }) => attack],
  ['misses', (row) => missedBy(row).join(', ') || '–'],
  ['innocent: refused', ({ refused }) => textOf(refused)],
  ['attacker: answers', ({ answers }) => textOf(answers)],
  ['ingest p50 ms', ({ ingest }) => ingest.p50_ms.toFixed(1)],
  ['p99 ms', ({ ingest }) => ingest.p99_ms.toFixed(1)],
  ['× quiet', (row) => ratiosOf(row, row.quiet).ingest.toFixed(1)],
  ['read p50 ms', ({ read }) => read.p50_ms.toFixed(1)],
  ['p99 ms', ({ read }) => read.p99_ms.toFixed(1)],
  ['× quiet', (row) => ratiosOf(row, row.quiet).read.toFixed(1)],
  ['longest pause, ms', (row) => row.longest_pause_ms.toFixed(0)],
  ['recovered after, s', (row) => row.recovered_after_s.toFixed(0)],
  ['cores of the attacker', (row) => row.attacker_cores.toFixed(2)]
]
const wordColumns = 4

export function cellsOf(row: FairnessRow): string[] {
  return columns.map(([, cellOf]) => cellOf(row))
}

export function markdownOfFairness(rows: readonly FairnessRow[]): string {
  const heads = columns.map(([head]) => head)
  const cells = rows.map(cellsOf)
  return markdownTable(heads, cells, wordColumns).replaceAll('NaN', '  –')
}
