/** Compares the gateway with its performance goals: ratios to other rows of the same round, and the
 * latency of a batch.
 */
import { markdownTable } from './markdown.ts'
import { median } from './median.ts'
import type { DriveName, Measurement } from '../row.ts'
import { broker, lingerMs } from '../rows/broker.ts'
import { collector, collectorBatch, collectorBatchJson } from '../rows/collector.ts'
import { collectorJson, collectorTraces } from '../rows/collector.ts'
import { floor } from '../rows/floor.ts'
import { gateway, gatewayBatch, gatewayTraces } from '../rows/gateway.ts'

interface Goal {
  readonly what: string
  readonly row: string
  readonly base: string
  /** Maximum ratio of the CPU time of `row` to the CPU time of `base`. */
  readonly atMost: number
  readonly drives: readonly DriveName[]
}

const bothLoads = ['equal rate', 'full speed'] as const
const one = { what: 'one decision', row: gateway.name, drives: bothLoads }
const batch = { what: 'batch of 100', row: gatewayBatch.name, drives: bothLoads }
const spans = { what: '100 spans', row: gatewayTraces.name, drives: bothLoads }

/**
 * CPU time goals. docs/adr/0043-performance-goals.md explains which goals are missed and why they
 * are kept.
 */
const cpuGoals: readonly Goal[] = [
  { ...one, base: collector.name, atMost: 0.75 },
  { ...one, base: collector.name, atMost: 0.8, drives: ['full speed'] },
  { ...one, base: collectorJson.name, atMost: 0.75 },
  { ...one, base: floor.name, atMost: 2.2 },
  { ...batch, base: collectorBatch.name, atMost: 0.9 },
  { ...batch, base: collectorBatchJson.name, atMost: 0.9 },
  { ...batch, base: collectorBatchJson.name, atMost: 0.5, drives: ['full speed, unicode'] },
  { ...batch, base: floor.name, atMost: 0.55, drives: ['equal rate'] },
  { ...batch, base: floor.name, atMost: 0.3, drives: ['full speed'] },
  { ...spans, base: collectorTraces.name, atMost: 1.5 }
]
const cpuDrives: readonly DriveName[] = [...bothLoads, 'full speed, unicode']
/** Requests with a maximum p99 at half load, in milliseconds. */
const latencyGoals = [
  { ...batch, atMostMs: 20 },
  { ...spans, atMostMs: 30 }
]
/**
 * Number of batches that a decision can wait for: one in flight, its own batch, and one as a
 * margin.
 */
const producesMax = 3

interface GoalResult {
  readonly goal: string
  readonly drive: DriveName
  /**
   * Median of all rounds: a ratio, or milliseconds if the goal says so. Null if a row of the goal
   * was not measured.
   */
  readonly reached: number | null
  readonly at_most: number
}

export function goalsOf(measurements: readonly Measurement[]): GoalResult[] {
  const cpu = cpuDrives.flatMap((drive) =>
    cpuGoals
      .filter(({ drives }) => drives.includes(drive))
      .map(({ what, row, base, atMost }) => ({
        goal: `CPU of ${what}, ${row} / ${base}`,
        drive,
        reached: medianOf(pairsOf(measurements, { drive, row, base }), cpuRatio),
        at_most: atMost
      }))
  )
  const drive = 'half load'
  const pairs = pairsOf(measurements, { drive, row: gateway.name, base: broker.name })
  const latency = {
    goal: `p99, ${gateway.name} / (linger + ${producesMax} × ${broker.name})`,
    drive,
    reached: medianOf(pairs, latencyRatio),
    at_most: 1
  } as const
  const half = measurements.filter((each) => each.drive === drive)
  const latencies = latencyGoals.map(({ what, row, atMostMs }): GoalResult => ({
    goal: `p99 of ${what} in ms, ${row}`,
    drive,
    reached: medianOf(
      half.filter((each) => each.row === row),
      ({ p99_ms }) => p99_ms
    ),
    at_most: atMostMs
  }))
  return [...cpu, latency, ...latencies]
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

function medianOf<Item>(items: readonly Item[], pick: (item: Item) => number): number | null {
  return items.length === 0 ? null : median(items.map(pick))
}

function cpuRatio({ own, base }: Pair): number {
  return own.cpu_us_per_accepted / base.cpu_us_per_accepted
}

function latencyRatio({ own, base }: Pair): number {
  return own.p99_ms / (lingerMs + producesMax * base.p99_ms)
}

export function markdownOfGoals(goals: readonly GoalResult[]): string {
  const heads = ['goal', 'load', 'reached', 'at most', 'is met']
  const lines = goals.map(({ goal, drive, reached, at_most }) => [
    goal,
    drive,
    reached?.toFixed(2) ?? 'not run',
    at_most.toFixed(2),
    reached === null ? '–' : reached <= at_most ? 'yes' : 'no'
  ])
  return markdownTable(heads, lines, 2)
}
