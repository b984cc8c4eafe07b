/** `--hot-agent`: measures how an agent that sends nine of ten decisions affects the others. */
import { systemClock } from '../../platform/process/clock.ts'
import { shapes } from '../load/shapes.ts'
import type { LoadOrder } from '../load/load.ts'
import { groupOf, hotAgent, partitionOfAgent } from '../load/decisions.ts'
import type { AgentGroup } from '../load/decisions.ts'
import { createHistogram } from '../load/histogram.ts'
import type { LoadReport } from '../load/load.ts'
import { markdownTable } from '../report/markdown.ts'
import type { BenchResult } from '../report/bench-result.ts'
import { isComplete, sentenceOf, totalOf } from '../system/record-count.ts'
import type { BenchRow, BenchTarget } from '../row.ts'
import { createGatewayRow, decisionsTopic, gateway } from '../rows/gateway.ts'
import { sampleWhile } from '../sample.ts'
import { warmUp } from '../session.ts'
import type { Session } from '../session.ts'
import { startRow } from '../start-row.ts'
import { startStorage } from '../system/storage-lag.ts'
import type { StorageLag, StoredAfter } from '../system/storage-lag.ts'
import { answersIn } from '../load/tally.ts'

const sampleMs = 1000
/** Rate limit of an agent, as a share of all decisions in a measurement. */
const shareLeft = 0.1
const groups: readonly AgentGroup[] = ['hot', 'neighbours', 'others']

interface Phase extends Pick<LoadOrder, 'shape' | 'bodies'> {
  readonly name: string
  readonly target: BenchTarget
}

/**
 * Ratio of the decisions/s in batch loads to the decisions/s in single-decision loads. Batches at
 * the lower rate would not keep storage busy.
 */
const batchRateFactor = 4
const batchPath = '/v1/ingest/batch'

export async function runHotAgent(session: Session): Promise<BenchResult> {
  const { bench, options } = session
  const points = Math.ceil(options.rate * options.seconds * shareLeft)
  const limitedRow = createGatewayRow({
    name: 'gateway-limited',
    shape: 'decision',
    path: '/v1/ingest',
    environment: { AGENT_RATE_LIMIT_POINTS: String(points) }
  })
  const plain = await startRow(gateway, bench)
  const limited = await startRow(limitedRow, bench)
  const storage = await startStorage(bench)
  const before = await bench.countRecords(decisionsTopic)
  // The warm-up has no hot agent. Otherwise, the hot agent would use up its rate limit before the
  // measured phases.
  const warm = await warmUp(session, [
    { row: gateway, target: plain },
    { row: limitedRow, target: limited }
  ])
  const bodies = 'hot-agent'
  const batches = { ...plain, url: new URL(batchPath, plain.url).href }
  const done = await runPhases(session, storage, [
    { name: 'first', shape: 'decision', target: plain },
    { name: 'evenly spread', shape: 'decision', target: plain },
    { name: 'one hot agent', shape: 'decision', bodies, target: plain },
    { name: 'one hot agent, limited', shape: 'decision', bodies, target: limited },
    { name: 'batches, evenly spread', shape: 'batch', target: batches },
    { name: 'batches, one hot agent', shape: 'batch', bodies, target: batches }
  ])
  const records = (await bench.countRecords(decisionsTopic)) - before
  const count = { ...totalOf([...warm, ...done]), records }
  const { rate, seconds, connections } = options
  // The first phase only warms up storage.
  const lines = done.slice(1).flatMap((phase) => phase.lines)
  const given = `${rate} decisions/s, in batches ${rate * batchRateFactor}; ${seconds} s each.`
  const page = [given, '', markdownOf(lines), '', sentenceOf(count)]
  const figures = { rate, seconds, connections, points, count, lines }
  return { isComplete: isComplete(count), page, figures }
}

interface PhaseReport {
  readonly accepted: number
  readonly refused: number
  readonly lines: readonly Line[]
}

async function runPhases(session: Session, storage: StorageLag, phases: readonly Phase[]) {
  const reports: PhaseReport[] = []
  for (const phase of phases) {
    await storage.catchUp()
    const report = await runPhase(session, phase, storage)
    session.say(`  ${phase.name}: ${report.accepted} accepted and stored`)
    reports.push(report)
  }
  return reports
}

async function runPhase(
  session: Session,
  { name, target, ...sent }: Phase,
  storage: StorageLag
): Promise<PhaseReport> {
  const { seconds, connections } = session.options
  const { decisions } = shapes[sent.shape]
  const rate = (session.options.rate * (decisions === 1 ? 1 : batchRateFactor)) / decisions
  const { url, headers } = target
  const from = systemClock.now()
  const work = session.load.run({ url, headers, ...sent, rate, seconds, connections })
  const { result, samples } = await sampleWhile(work, sampleMs, () => storage.readProgress())
  const to = systemClock.now()
  await storage.catchUp()
  const caught_up_ms = systemClock.now() - to
  const delays = await storage.readDelays(from, to)
  const lags = samples.flat()
  const lines = groups
    .map((group) => ({
      load: name,
      agents: group,
      ...answersOf(result, group, gateway),
      ...delaysOf(delays, group),
      lag_max: lags
        .filter(({ partition }) => (partition === partitionOfAgent(hotAgent)) === isHot(group))
        .reduce((most, { lag }) => Math.max(most, lag), 0),
      caught_up_ms
    }))
    .filter(({ refused, stored }) => refused + stored > 0)
  const accepted = (result.statuses[gateway.accepted] ?? 0) * decisions
  return { accepted, refused: answersIn(result.statuses) * decisions - accepted, lines }
}

/** Checks whether the agents of a group are in the hot agent's partition. */
function isHot(group: AgentGroup): boolean {
  return group !== 'others'
}

/**
 * Returns the response figures of a group. Batch loads have no such figures, because each batch
 * mixes all groups.
 */
function answersOf(report: LoadReport, group: AgentGroup, row: BenchRow) {
  const { statuses = {}, latencies } = report.groups[group] ?? {}
  const refused = answersIn(statuses) - (statuses[row.accepted] ?? 0)
  const times = createHistogram(latencies)
  return {
    refused,
    p50_ms: times.percentileMs(0.5),
    p99_ms: times.percentileMs(0.99)
  }
}

/** Returns the highest per-agent delays in a group, because a mean would hide a slow agent. */
function delaysOf(delays: readonly StoredAfter[], group: AgentGroup) {
  const own = delays.filter(({ agent_id }) => groupOf(agent_id) === group)
  const worst = (pick: (delay: StoredAfter) => number): number =>
    own.reduce((most, delay) => Math.max(most, pick(delay)), 0)
  return {
    stored: own.reduce((sum, { stored }) => sum + stored, 0),
    stored_p50_ms: worst(({ p50_ms }) => p50_ms),
    stored_p99_ms: worst(({ p99_ms }) => p99_ms)
  }
}

interface Line {
  readonly load: string
  readonly agents: AgentGroup
  readonly refused: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly stored: number
  readonly stored_p50_ms: number
  readonly stored_p99_ms: number
  readonly lag_max: number
  readonly caught_up_ms: number
}

const columns: readonly (readonly [string, (line: Line) => string])[] = [
  ['load', ({ load }) => load],
  ['agents', ({ agents }) => agents],
  ['stored', ({ stored }) => String(stored)],
  ['refused', ({ refused }) => String(refused)],
  ['p50 ms', ({ p50_ms }) => p50_ms.toFixed(2)],
  ['p99 ms', ({ p99_ms }) => p99_ms.toFixed(2)],
  ['stored after p50, ms', (line) => line.stored_p50_ms.toFixed(0)],
  ['stored after p99, ms', (line) => line.stored_p99_ms.toFixed(0)],
  ['most messages waiting', ({ lag_max }) => String(lag_max)],
  ['caught up after, s', ({ caught_up_ms }) => (caught_up_ms / 1000).toFixed(1)]
]

function markdownOf(lines: readonly Line[]): string {
  return markdownTable(
    columns.map(([head]) => head),
    lines.map((line) => columns.map(([, cellOf]) => cellOf(line))),
    2
  ).replaceAll('NaN', '  –')
}
