/** `--steady`: measures whether the gateway's memory is stable at one rate. */
import { createHistogram } from '../load/histogram.ts'
import { markdownTable } from '../report/markdown.ts'
import { median } from '../report/median.ts'
import type { BenchResult } from '../report/bench-result.ts'
import { residentMiB } from '../system/process-family.ts'
import { isComplete, sentenceOf, totalOf } from '../system/record-count.ts'
import { decisionsTopic, gateway } from '../rows/gateway.ts'
import { sampleWhile } from '../sample.ts'
import { warmUp } from '../session.ts'
import type { Session } from '../session.ts'
import { startRow } from '../start-row.ts'
import { answersIn } from '../load/tally.ts'

const everyMs = 5000
const minuteSeconds = 60
const samplesPerMinute = (minuteSeconds * 1000) / everyMs

interface MemorySample {
  readonly seconds: number
  readonly mib: number
}

export async function runSteady(session: Session): Promise<BenchResult> {
  const { bench, options, load, say } = session
  const { rate, connections, seconds } = options
  const target = await startRow(gateway, bench)
  const before = await bench.countRecords(decisionsTopic)
  const warm = await warmUp(session, [{ row: gateway, target }])
  const { url, headers } = target
  const order = { url, headers, shape: gateway.shape, connections, seconds, rate }
  const startedAt = performance.now()
  const { result, samples } = await sampleWhile(load.run(order), everyMs, () => {
    const sample = {
      seconds: (performance.now() - startedAt) / 1000,
      mib: residentMiB(target.pids)
    }
    say(`  ${sample.seconds.toFixed(0)} s: ${sample.mib.toFixed(1)} MiB`)
    return sample
  })
  const accepted = result.statuses[gateway.accepted] ?? 0
  const records = (await bench.countRecords(decisionsTopic)) - before
  const count = {
    ...totalOf([...warm, { accepted, refused: answersIn(result.statuses) - accepted }]),
    records
  }
  const latencies = createHistogram(result.latencies)
  const [p50_ms, p99_ms] = [latencies.percentileMs(0.5), latencies.percentileMs(0.99)]
  const memory = memoryOf(samples)
  const figures = { seconds, connections, rate, ...count, p50_ms, p99_ms, ...memory, samples }
  return { isComplete: isComplete(count), page: pageOf(figures), figures }
}

/**
 * Returns the median memory of the first and last minute, and the slope after the first minute.
 * Runs shorter than four minutes use quarters instead of minutes.
 */
export function memoryOf(samples: readonly MemorySample[]) {
  const edge = Math.min(samplesPerMinute, Math.ceil(samples.length / 4))
  const mibOf = (some: readonly MemorySample[]): number[] => some.map(({ mib }) => mib)
  return {
    first_minute_mib: median(mibOf(samples.slice(0, edge))),
    last_minute_mib: median(mibOf(samples.slice(-edge))),
    slope_mib_per_minute: slopeOf(samples.slice(edge)) * minuteSeconds
  }
}

/** Returns the least-squares slope in MiB per second, or NaN for fewer than two samples. */
function slopeOf(samples: readonly MemorySample[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(samples.map(({ seconds }) => seconds)), mean(samples.map(({ mib }) => mib))]
  const rise = samples.reduce((sum, one) => sum + (one.seconds - x) * (one.mib - y), 0)
  return rise / samples.reduce((sum, one) => sum + (one.seconds - x) ** 2, 0)
}

interface SteadyFigures extends ReturnType<typeof memoryOf> {
  readonly seconds: number
  readonly rate: number
  readonly accepted: number
  readonly refused: number
  readonly records: number
  readonly p50_ms: number
  readonly p99_ms: number
}

function pageOf(figures: SteadyFigures): string[] {
  const lines: [string, string][] = [
    ['seconds', String(figures.seconds)],
    ['target decisions/s', String(figures.rate)],
    ['p50 ms', figures.p50_ms.toFixed(2)],
    ['p99 ms', figures.p99_ms.toFixed(2)],
    ['resident memory, median of the first minute, MiB', figures.first_minute_mib.toFixed(1)],
    ['resident memory, median of the last minute, MiB', figures.last_minute_mib.toFixed(1)],
    ['slope after the first minute, MiB a minute', figures.slope_mib_per_minute.toFixed(2)]
  ]
  return [markdownTable(['steady run', ''], lines, 1), '', sentenceOf(figures)]
}
