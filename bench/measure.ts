/** One round of one row: warmed up, loaded, and read off. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { cpuMicroseconds } from './cpu.ts'
import type { LoadOrder, LoadReport } from './load.ts'
import type { Measurement, Row, Target } from './row.ts'
import { percentile } from './statistics.ts'

export interface MeasureOptions {
  readonly connections: number
  readonly seconds: number
  readonly warmUpSeconds: number
}

export async function measure(
  row: Row,
  target: Target,
  { connections, seconds, warmUpSeconds }: MeasureOptions
): Promise<Measurement> {
  const { url, headers } = target
  await runLoad({ url, headers, connections, seconds: warmUpSeconds })
  const cpuBefore = cpuMicroseconds(target.pid)
  const report = await runLoad({ url, headers, connections, seconds })
  const cpu = cpuMicroseconds(target.pid) - cpuBefore
  const sorted = report.latenciesMs.toSorted((left, right) => left - right)
  const answers = Object.values(report.statuses).reduce((sum, count) => sum + count, 0)
  const accepted = report.statuses[row.accepted] ?? 0
  return {
    row: row.name,
    requests_per_second: answers / report.seconds,
    cpu_us_per_accepted: cpu / accepted,
    p50_ms: percentile(sorted, 0.5),
    p99_ms: percentile(sorted, 0.99),
    accepted,
    refused: answers - accepted
  }
}

/** The load has a process of its own, so that its work is not counted as the target's. */
function runLoad(order: LoadOrder): Promise<LoadReport> {
  const child = fork(fileURLToPath(new URL('load.ts', import.meta.url)), { execArgv: [] })
  return new Promise((resolve, reject) => {
    child.once('message', (report) => resolve(report as LoadReport))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the load ended with exit code ${code}`)))
    child.send(order)
  })
}
