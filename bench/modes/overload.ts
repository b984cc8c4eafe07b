/** `--overload`: measures goodput and rejections at three times the capacity of the gateway. */
import { cpuMicroseconds } from '../system/cpu.ts'
import { createHistogram } from '../load/histogram.ts'
import { readEventLoopLag } from '../system/event-loop.ts'
import { startLoad } from '../load/load-process.ts'
import type { LoadProcess } from '../load/load-process.ts'
import type { LoadOrder } from '../load/load.ts'
import { markdownTable } from '../report/markdown.ts'
import { median } from '../report/median.ts'
import type { OpenLoopReport } from '../load/open-loop.ts'
import { pinLoad } from '../load/pin-load.ts'
import type { BenchResult } from '../report/bench-result.ts'
import { residentMiB, withChildren } from '../system/process-family.ts'
import { isComplete, sentenceOf, totalOf } from '../system/record-count.ts'
import type { BenchTarget } from '../row.ts'
import { createGatewayRow, decisionsTopic, gateway } from '../rows/gateway.ts'
import { sampleWhile } from '../sample.ts'
import { warmUp } from '../session.ts'
import type { Session } from '../session.ts'
import { startRow } from '../start-row.ts'
import { answersIn } from '../load/tally.ts'

const overloadFactor = 3
/** Number of connections, enough to reach the gateway's capacity. */
const capacityConnections = 256
/**
 * Number of connections during overload, so high that some are idle while others have a queued
 * request or wait for Retry-After.
 */
const crowd = 15_000
const connectionsMax = 20_000
/**
 * Duration of the surge, the phase that begins before any connection has received a Retry-After.
 */
const surgeSeconds = 5
const sampleMs = 1000

const gatewayForCrowd = createGatewayRow({
  name: gateway.name,
  shape: gateway.shape,
  path: '/v1/ingest',
  environment: { CONNECTIONS_MAX: String(connectionsMax) }
})

type Pace = Pick<LoadOrder, 'connections' | 'rate' | 'keepsConnections'> & Partial<LoadOrder>
type Crowd = LoadProcess<LoadOrder, OpenLoopReport>

export async function runOverload(session: Session): Promise<BenchResult> {
  const { bench, options, say } = session
  const target = await startRow(gatewayForCrowd, bench)
  const before = await bench.countRecords(decisionsTopic)
  const warm = await warmUp(session, [{ row: gateway, target }])
  const load: Crowd = startLoad('load/open-loop.ts', { signal: bench.signal })
  bench.onStop(() => load.stop())
  const isPinned = await pinLoad(load.pid)
  say(isPinned ? '  the load has its own core' : '  the load shares the cores')
  const { seconds } = options
  const connections = capacityConnections
  const run = async (name: string, pace: Pace) => {
    const phase = await runPhase(target, { load, name, seconds, ...pace })
    say(`  ${name}: ${phase.accepted_per_second.toFixed(0)} accepted/s`)
    return phase
  }
  const first = await run('first', { connections, rate: 0 })
  const whole = await run('capacity', { connections, rate: 0 })
  const rate = Math.round(overloadFactor * whole.accepted_per_second)
  const crowded = { connections: crowd, rate }
  const surge = await run('surge', { ...crowded, seconds: surgeSeconds, keepsConnections: true })
  const over = await run('overload', crowded)
  const after = await run('afterwards', { connections, rate: 0 })
  const phases = [whole, surge, over, after]
  const records = (await bench.countRecords(decisionsTopic)) - before
  const count = { ...totalOf([...warm, first, ...phases]), records }
  // Uses the higher of two measurements, because other work on the machine can lower one and
  // thereby inflate the goodput.
  const capacity = Math.max(whole.accepted_per_second, after.accepted_per_second)
  const goodput = over.accepted_per_second / capacity
  const share = `Goodput at ${overloadFactor} times capacity: ${(goodput * 100).toFixed(0)} %.`
  const page = [markdownOf(phases), '', share, sentenceOf(count)]
  const figures = { seconds, isPinned, goodput, phases, count }
  return { isComplete: isComplete(count), page, figures }
}

interface PhaseSettings {
  readonly load: Crowd
  readonly name: string
  readonly seconds: number
  readonly connections: number
  readonly rate: number
  readonly keepsConnections?: boolean
}

async function runPhase(target: BenchTarget, settings: PhaseSettings) {
  const { load, name, ...order } = settings
  const { url, headers, managementUrl = '' } = target
  const pids = withChildren(target.pids)
  const cpuBefore = [pids, [load.pid]].map(cpuMicroseconds)
  const work = load.run({ url, headers, shape: gateway.shape, ...order })
  const { result, samples } = await sampleWhile(work, sampleMs, async () => ({
    mib: residentMiB(target.pids),
    loop_p99_ms: await readEventLoopLag(managementUrl, '0.99')
  }))
  const [cores = 0, load_cores = 0] = [pids, [load.pid]].map(
    (each, at) => (cpuMicroseconds(each) - (cpuBefore[at] ?? 0)) / 1e6 / result.seconds
  )
  const accepted = result.finally[gateway.accepted] ?? 0
  const answeredInTime = answersIn(result.statuses)
  const acceptedInTime = result.statuses[gateway.accepted] ?? 0
  const p99Of = (group: string): number =>
    createHistogram(result.groups[group]?.latencies).percentileMs(0.99)
  return {
    name,
    asked_per_second: settings.rate,
    answered_per_second: answeredInTime / result.seconds,
    accepted_per_second: acceptedInTime / result.seconds,
    accepted,
    refused: answersIn(result.finally) - accepted,
    unsent: result.unsent,
    statuses: result.finally,
    accepted_p99_ms: p99Of('accepted'),
    refused_p99_ms: p99Of('refused'),
    cores,
    load_cores,
    mib: median(samples.map(({ mib }) => mib)),
    most_mib: Math.max(...samples.map(({ mib }) => mib)),
    loop_p99_ms: median(samples.map(({ loop_p99_ms }) => loop_p99_ms))
  }
}

type Phase = Awaited<ReturnType<typeof runPhase>>

const columns: readonly (readonly [string, (phase: Phase) => string])[] = [
  ['load', ({ name }) => name],
  ['statuses', ({ statuses }) => statusesOf(statuses)],
  ['asked/s', (phase) => (phase.asked_per_second === 0 ? '–' : String(phase.asked_per_second))],
  ['answered/s', (phase) => phase.answered_per_second.toFixed(0)],
  ['accepted/s', (phase) => phase.accepted_per_second.toFixed(0)],
  ['no connection free', ({ unsent }) => String(unsent)],
  ['p99 of a 202, ms', (phase) => phase.accepted_p99_ms.toFixed(1)],
  ['p99 of a rejection, ms', (phase) => phase.refused_p99_ms.toFixed(1)],
  ['cores', ({ cores }) => cores.toFixed(2)],
  ['cores of the load', (phase) => phase.load_cores.toFixed(2)],
  ['MiB', ({ mib }) => mib.toFixed(0)],
  ['most MiB', (phase) => phase.most_mib.toFixed(0)],
  ['loop p99, ms', (phase) => phase.loop_p99_ms.toFixed(1)]
]

/** Formats response counts by status. Status 0 stands for a broken connection. */
function statusesOf(statuses: Phase['statuses']): string {
  return Object.entries(statuses)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ')
}

function markdownOf(phases: readonly Phase[]): string {
  const lines = phases.map((phase) => columns.map(([, cellOf]) => cellOf(phase)))
  return markdownTable(
    columns.map(([head]) => head),
    lines,
    2
  ).replaceAll('NaN', '  –')
}
