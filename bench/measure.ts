/** Measures one row in one round under load from another process. */
import { shapes } from './load/shapes.ts'
import { cpuMicroseconds } from './system/cpu.ts'
import { createHistogram } from './load/histogram.ts'
import type { LoadReport } from './load/load.ts'
import type { Load } from './load/load-process.ts'
import { withChildren } from './system/process-family.ts'
import { bodiesOfDrives } from './row.ts'
import type { Drive, Measurement, BenchRow, BenchTarget } from './row.ts'
import { answersIn } from './load/tally.ts'

export interface Pass {
  readonly drive: Drive
  readonly round: number
  readonly connections: number
  readonly seconds: number
  readonly load: Load
}

/**
 * Runs the load and computes the row's figures.
 * @throws if no decision was accepted, because the cost per decision is then undefined
 */
export async function measure(
  row: BenchRow,
  target: BenchTarget,
  pass: Pass
): Promise<Measurement> {
  const { url, headers } = target
  const { drive, round, connections, seconds } = pass
  const { load = pass.load } = target
  const { name, rate } = drive
  const bodies = bodiesOfDrives[name]
  const order = { url, headers, shape: row.shape, bodies, connections, seconds, rate }
  const pids = withChildren(target.pids)
  const cpuBefore = cpuMicroseconds(pids)
  const report = await load.run(order)
  const cpu = cpuMicroseconds(pids) - cpuBefore
  return { row: row.name, drive: name, round, ...figuresOf(report, cpu, row) }
}

function figuresOf(report: LoadReport, cpu: number, row: BenchRow) {
  const { decisions } = shapes[row.shape]
  const latencies = createHistogram(report.latencies)
  const requests = answersIn(report.statuses)
  const accepted = (report.statuses[row.accepted] ?? 0) * decisions
  if (accepted === 0)
    throw new Error(`No decision was accepted: ${JSON.stringify(report.statuses)}.`)
  return {
    requests_per_second: requests / report.seconds,
    cpu_us_per_accepted: cpu / accepted,
    cores: cpu / 1e6 / report.seconds,
    p50_ms: latencies.percentileMs(0.5),
    p99_ms: latencies.percentileMs(0.99),
    accepted,
    refused: requests * decisions - accepted
  }
}
