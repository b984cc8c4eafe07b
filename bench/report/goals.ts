/** Compares the gateway with its performance goals, which are ratios to other rows of the same
 * round.
 */
import { markdownTable } from './markdown.ts'
import { median } from './median.ts'
import type { DriveName, Measurement } from '../row.ts'
import { broker, lingerMs } from '../rows/broker.ts'
import { collector, collectorBatch, collectorBatchJson, collectorJson } from '../rows/collector.ts'
import { floor } from '../rows/floor.ts'
import { gateway, gatewayBatch } from '../rows/gateway.ts'

interface Goal {
  readonly what: string
  readonly row: string
  readonly base: string
  /** Maximum ratio of the CPU time of `row` to the CPU time of `base`. */
  readonly atMost: number
}

/**
 * CPU time goals. docs/adr/0043-performance-goals.md explains which goals are missed and why they
 * are kept.
 */
const cpuGoals: readonly Goal[] = [
  { what: 'one decision', row: gateway.name, base: collector.name, atMost: 0.75 },
  { what: 'one decision', row: gateway.name, base: collectorJson.name, atMost: 0.75 },
  { what: 'one decision', row: gateway.name, base: floor.name, atMost: 2.2 },
  { what: 'batch of 100', row: gatewayBatch.name, base: collectorBatch.name, atMost: 0.9 },
  { what: 'batch of 100', row: gatewayBatch.name, base: collectorBatchJson.name, atMost: 0.9 },
  { what: 'batch of 100', row: gatewayBatch.name, base: floor.name, atMost: 0.55 }
]
const cpuDrives: readonly DriveName[] = ['equal rate', 'full speed']
/**
 * Number of batches that a decision can wait for: one in flight, its own batch, and one as a
 * margin.
 */
const producesMax = 3

interface GoalResult {
  readonly goal: string
  readonly drive: DriveName
  /** Median ratio of all rounds, or null if either row of the goal was not measured. */
  readonly ratio: number | null
  readonly at_most: number
}

export function goalsOf(measurements: readonly Measurement[]): GoalResult[] {
  const cpu = cpuDrives.flatMap((drive) =>
    cpuGoals.map(({ what, row, base, atMost }) => ({
      goal: `CPU of ${what}, ${row} / ${base}`,
      drive,
      ratio: medianRatio(pairsOf(measurements, { drive, row, base }), cpuRatio),
      at_most: atMost
    }))
  )
  const pairs = pairsOf(measurements, { drive: 'half load', row: gateway.name, base: broker.name })
  const latency = {
    goal: `p99, ${gateway.name} / (linger + ${producesMax} × ${broker.name})`,
    drive: 'half load' as const,
    ratio: medianRatio(pairs, latencyRatio),
    at_most: 1
  }
  return [...cpu, latency]
}

interface Pair {
  readonly own: Measurement
  readonly base: Measurement
}

/**
 * Pairs the measurements of two rows by round, because a disturbance of the machine affects both
 * rows of a round.
 */
function pairsOf(
  measurements: readonly Measurement[],
  { drive, row, base }: { drive: DriveName; row: string; base: string }
): Pair[] {
  const driven = measurements.filter((one) => one.drive === drive)
  return driven
    .filter((one) => one.row === row)
    .flatMap((own) => {
      const other = driven.find((one) => one.row === base && one.round === own.round)
      return other === undefined ? [] : [{ own, base: other }]
    })
}

function medianRatio(pairs: readonly Pair[], ratio: (pair: Pair) => number): number | null {
  return pairs.length === 0 ? null : median(pairs.map(ratio))
}

function cpuRatio({ own, base }: Pair): number {
  return own.cpu_us_per_accepted / base.cpu_us_per_accepted
}

function latencyRatio({ own, base }: Pair): number {
  return own.p99_ms / (lingerMs + producesMax * base.p99_ms)
}

export function markdownOfGoals(goals: readonly GoalResult[]): string {
  const heads = ['goal', 'load', 'reached', 'at most', 'is met']
  const lines = goals.map(({ goal, drive, ratio, at_most }) => [
    goal,
    drive,
    ratio?.toFixed(2) ?? 'not run',
    at_most.toFixed(2),
    ratio === null ? '–' : ratio <= at_most ? 'yes' : 'no'
  ])
  return markdownTable(heads, lines, 2)
}
