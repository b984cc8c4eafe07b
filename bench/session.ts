/** A run of the benchmark: every row started and warmed up, then measured in turn. */
import type { Load } from './load-process.ts'
import { measure } from './measure.ts'
import type { BenchOptions } from './options.ts'
import type { RecordCount } from './record-count.ts'
import type { Drive, Measurement, Row, Target } from './row.ts'
import type { OpenBench } from './open-bench.ts'

export interface Session {
  readonly bench: OpenBench
  readonly rows: readonly Row[]
  readonly options: BenchOptions
  readonly load: Load
  readonly say: (line: string) => void
}

export interface SessionReport {
  readonly measurements: readonly Measurement[]
  readonly counts: readonly ({ readonly topic: string } & RecordCount)[]
}

interface Running {
  readonly row: Row
  readonly target: Target
}

const warmUpSeconds = 3
export const fullSpeed: Drive = { name: 'full speed', rate: 0 }

export async function runSession(session: Session): Promise<SessionReport> {
  const { bench, rows, options, say } = session
  const before = await countTopics(session)
  const running: Running[] = []
  for (const row of rows) {
    running.push({ row, target: await row.start(bench) })
    say(`  ${row.name} runs`)
  }
  const passes = await warmUp(session, running)
  const measurements: Measurement[] = []
  const drives = [fullSpeed, { name: `${options.rate}/s`, rate: options.rate }]
  for (let round = 1; round <= options.rounds; round++) {
    for (const drive of drives) {
      measurements.push(...(await measureEach(session, running, { drive, round })))
    }
  }
  const counts = await compare(session, [...passes, ...measurements], before)
  return { measurements, counts }
}

/** Drives every row once, so that the code that is measured has been compiled. */
export async function warmUp(session: Session, running: readonly Running[]) {
  const passes: Measurement[] = []
  for (const { row, target } of running) {
    passes.push(await measure(row, target, passOf(session, fullSpeed, warmUpSeconds)))
  }
  return passes
}

async function measureEach(
  session: Session,
  running: readonly Running[],
  { drive, round }: { drive: Drive; round: number }
): Promise<Measurement[]> {
  const { options, say } = session
  const measurements: Measurement[] = []
  for (const { row, target } of running) {
    const pass = { ...passOf(session, drive, options.seconds), round }
    const measurement = await measure(row, target, pass)
    measurements.push(measurement)
    say(`  round ${round}/${options.rounds}, ${drive.name}: ${lineOf(measurement)}`)
  }
  return measurements
}

function passOf({ options, load }: Session, drive: Drive, seconds: number) {
  return { drive, round: 0, connections: options.connections, seconds, load }
}

function lineOf(measurement: Measurement): string {
  const { row, requests_per_second, cpu_us_per_accepted, p99_ms } = measurement
  const cpu = `${cpu_us_per_accepted.toFixed(1)} µs CPU each`
  return `${row} ${requests_per_second.toFixed(0)} requests/s, ${cpu}, p99 ${p99_ms.toFixed(1)} ms`
}

async function countTopics({ bench, rows }: Session): Promise<Map<string, number>> {
  const topics = new Set(rows.flatMap(({ topic }) => topic ?? []))
  const counts = new Map<string, number>()
  for (const topic of topics) counts.set(topic, await bench.countRecords(topic))
  return counts
}

async function compare(
  session: Session,
  passes: readonly Measurement[],
  before: ReadonlyMap<string, number>
) {
  const after = await countTopics(session)
  return [...after].map(([topic, records]) => {
    const writers = session.rows.filter((row) => row.topic === topic).map(({ name }) => name)
    const own = passes.filter(({ row }) => writers.includes(row))
    return {
      topic,
      accepted: own.reduce((sum, { accepted }) => sum + accepted, 0),
      refused: own.reduce((sum, { refused }) => sum + refused, 0),
      records: records - (before.get(topic) ?? 0)
    }
  })
}
