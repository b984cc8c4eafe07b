/** Runs a comparison: starts and warms up every row, then measures them in rounds. */
import { shapes } from './load/shapes.ts'
import type { Load } from './load/load-process.ts'
import { measure } from './measure.ts'
import type { Pass } from './measure.ts'
import type { BenchOptions } from './options.ts'
import type { BenchResult } from './report/bench-result.ts'
import { totalOf } from './system/record-count.ts'
import type { RecordCount } from './system/record-count.ts'
import { driveNames } from './row.ts'
import type { Drive, DriveName, Measurement, BenchRow, BenchTarget } from './row.ts'
import type { OpenBench } from './open-bench.ts'

export interface Session {
  readonly bench: OpenBench
  readonly rows: readonly BenchRow[]
  readonly options: BenchOptions
  readonly load: Load
  readonly say: (line: string) => void
  /** Saves the results so far. */
  readonly keep: (outcome: BenchResult) => void
}

export interface SessionReport {
  /** Number of completed rounds. */
  readonly rounds: number
  readonly measurements: readonly Measurement[]
  readonly counts: readonly TopicCount[]
  readonly notRun: readonly RowNotRun[]
}

type TopicCount = { readonly topic: string } & RecordCount

interface RowNotRun {
  readonly row: string
  readonly reason: string
}

interface Running {
  readonly row: BenchRow
  readonly target: BenchTarget
}

const warmUpSeconds = 8
/** Ratio of the decisions/s sent to rows with batches to the decisions/s sent to other rows. */
const batchRateFactor = 5
export const fullSpeed: Drive = { name: 'full speed', rate: 0 }
/** Full speed with each kind of bodies. */
const fullSpeeds = driveNames.filter((name) => name.startsWith(fullSpeed.name))

/** Yields all results after each round, so that an interruption loses at most one round. */
export async function* runSession(session: Session): AsyncGenerator<SessionReport> {
  const { bench, options } = session
  const { running, notRun } = await startRows(session)
  // Counts only the topics of running rows, because the other rows have not created theirs.
  const writing = { bench, rows: running.map(({ row }) => row) }
  const before = await countTopics(writing)
  const attempt = createAttempt(session, notRun)
  const warmUps: Measurement[] = []
  for (const one of running) {
    for (const name of fullSpeeds) {
      const pass = { ...warmUpPass(session), drive: { ...fullSpeed, name } }
      const seconds = pass.seconds / fullSpeeds.length
      warmUps.push(...(await attempt(one, { ...pass, seconds })))
    }
  }
  const measurements: Measurement[] = []
  for (let round = 1; round <= options.rounds; round++) {
    const well = running.filter(({ row }) => notRun.every((one) => one.row !== row.name))
    measurements.push(...(await measureRound(session, { running: well, round, attempt })))
    const counts = await compare(writing, [...warmUps, ...measurements], before)
    yield { rounds: round, measurements, counts, notRun }
  }
}

/** Measures a row. Resolves with an empty list if the row failed. */
type Attempt = (one: Running, pass: Pass) => Promise<Measurement[]>

/** Creates an attempt that reports a failed row as not run, so that the other rows continue. */
function createAttempt({ bench, say }: Session, notRun: RowNotRun[]): Attempt {
  return async ({ row, target }, pass) => {
    try {
      return [await measure(row, target, pass)]
    } catch (error) {
      bench.signal.throwIfAborted()
      const reason = error instanceof Error ? error.message : String(error)
      say(`! ${row.name}: ${reason}`)
      if (notRun.every((one) => one.row !== row.name)) notRun.push({ row: row.name, reason })
      return []
    }
  }
}

async function startRows({ bench, rows, say }: Session) {
  const running: Running[] = []
  const notRun: RowNotRun[] = []
  for (const row of rows) {
    const target = await row.start(bench)
    if ('notRun' in target) notRun.push({ row: row.name, reason: target.notRun })
    else running.push({ row, target })
    say(`  ${row.name} ${'notRun' in target ? `was not run: ${target.notRun}` : 'runs'}`)
  }
  return { running, notRun }
}

/** Measures every row once, so that its code is JIT-compiled. */
export async function warmUp(
  session: Pick<Session, 'options' | 'load'>,
  running: readonly Running[]
): Promise<Measurement[]> {
  const passes: Measurement[] = []
  for (const { row, target } of running) {
    passes.push(await measure(row, target, warmUpPass(session)))
  }
  return passes
}

function warmUpPass({ options, load }: Pick<Session, 'options' | 'load'>): Pass {
  const { connections } = options
  return { drive: fullSpeed, round: 0, connections, seconds: warmUpSeconds, load }
}

interface Round {
  readonly running: readonly Running[]
  readonly round: number
  readonly attempt: Attempt
}

async function measureRound(
  { options, load, say }: Session,
  { running, round, attempt }: Round
): Promise<Measurement[]> {
  const { connections, seconds, rounds } = options
  const measured: Measurement[] = []
  for (const name of driveNames) {
    for (const one of running.filter(({ row }) => row.drives.includes(name))) {
      const rate = rateOf({ row: one.row, name, rate: options.rate, measured })
      if (rate === null) continue
      const pass = { drive: { name, rate }, round, connections, seconds, load }
      const found = await attempt(one, pass)
      measured.push(...found)
      for (const each of found) say(`  round ${round}/${rounds}, ${name}: ${lineOf(each)}`)
    }
  }
  return measured
}

interface RateQuestion {
  readonly row: BenchRow
  readonly name: DriveName
  readonly rate: number
  readonly measured: readonly Measurement[]
}

/**
 * Returns the requests per second of a drive, or null for `half load` if the full speed is unknown.
 */
export function rateOf({ row, name, rate, measured }: RateQuestion): number | null {
  if (fullSpeeds.includes(name)) return fullSpeed.rate
  const { decisions } = shapes[row.shape]
  if (name === 'equal rate') return decisions === 1 ? rate : (rate * batchRateFactor) / decisions
  const whole = measured.find(
    (one) => one.row === (row.halfOf ?? row.name) && one.drive === fullSpeed.name
  )
  return whole === undefined ? null : whole.requests_per_second / 2
}

function lineOf(measurement: Measurement): string {
  const { row, requests_per_second, cpu_us_per_accepted, p99_ms } = measurement
  const cpu = `${cpu_us_per_accepted.toFixed(1)} µs CPU each`
  return `${row} ${requests_per_second.toFixed(0)} requests/s, ${cpu}, p99 ${p99_ms.toFixed(1)} ms`
}

type Writing = Pick<Session, 'bench' | 'rows'>

async function countTopics({ bench, rows }: Writing): Promise<Map<string, number>> {
  const topics = new Set(rows.flatMap(({ topic }) => topic ?? []))
  const counts = new Map<string, number>()
  for (const topic of topics) counts.set(topic, await bench.countRecords(topic))
  return counts
}

async function compare(
  writing: Writing,
  passes: readonly Measurement[],
  before: ReadonlyMap<string, number>
): Promise<TopicCount[]> {
  const after = await countTopics(writing)
  return [...after].map(([topic, records]) => {
    const writers = writing.rows.filter((row) => row.topic === topic).map(({ name }) => name)
    const own = passes.filter(({ row }) => writers.includes(row))
    return { topic, ...totalOf(own), records: records - (before.get(topic) ?? 0) }
  })
}
