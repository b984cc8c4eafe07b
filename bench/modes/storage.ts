/** `--storage`: compares the rate at which storage writes to Postgres with the rate of COPY for the
 * same rows.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import { cpuMicroseconds } from '../system/cpu.ts'
import type { FillOrder, FillReport } from '../fill-topic.ts'
import { startLoad } from '../load/load-process.ts'
import { markdownTable } from '../report/markdown.ts'
import { median } from '../report/median.ts'
import { openPostgres } from '../system/open-postgres.ts'
import type { BenchResult } from '../report/bench-result.ts'
import { withChildren } from '../system/process-family.ts'
import { decisionsTopic } from '../rows/gateway.ts'
import type { Session } from '../session.ts'
import { startGroup } from '../system/start-group.ts'

/** Goal: minimum ratio of storage's rows/s to COPY's rows/s. */
const atLeast = 0.5
/** Number of unreported rounds, in which Postgres creates WAL files that later rounds reuse. */
const warmUpRounds = 2
const pollMs = 20
const statementTimeoutMs = 120_000

interface Round {
  readonly storage_rows_per_second: number
  readonly storage_cpu_us_per_row: number
  readonly copy_rows_per_second: number
  readonly ratio: number
}

export async function runStorage(session: Session): Promise<BenchResult> {
  const figures = await measureBesideCopy(session)
  const isComplete = figures.rows === figures.decisions
  return { isComplete, page: pageOf(figures), figures }
}

export async function measureBesideCopy(session: Session): Promise<Figures> {
  const { bench, options, say } = session
  const { decisions } = options
  const postgres = openPostgres(bench, { statementTimeoutMs })
  const { bytes } = await fillTopic(session)
  say(`  ${decisions} decisions of ${Math.round(bytes / decisions)} bytes are in the topic`)
  const rounds: Round[] = []
  let rows = decisions
  for (let round = 1 - warmUpRounds; round <= options.rounds; round++) {
    const storage = await measureStorage(session, postgres, round)
    rows = Math.min(rows, await countRows(postgres))
    const copy_rows_per_second = await measureCopy(postgres, decisions)
    const ratio = storage.storage_rows_per_second / copy_rows_per_second
    const measured = { ...storage, copy_rows_per_second, ratio }
    const name = round < 1 ? 'warm-up round' : `round ${round}/${options.rounds}`
    say(`  ${name}: ${lineOf(measured).join(' | ')}`)
    if (round > 0) rounds.push(measured)
  }
  const ratio = median(rounds.map((round) => round.ratio))
  return { decisions, bytes_per_decision: bytes / decisions, rows, rounds, ratio }
}

async function fillTopic({ bench, options }: Session): Promise<FillReport> {
  const { environment, signal } = bench
  const fill = startLoad<FillOrder, FillReport>('fill-topic.ts', { environment, signal })
  try {
    return await fill.run({ topic: decisionsTopic, decisions: options.decisions })
  } finally {
    await fill.stop()
  }
}

/** Measures storage with empty tables and a new group that reads the topic from the beginning. */
async function measureStorage({ bench, options }: Session, postgres: Postgres, round: number) {
  await empty(postgres)
  const name = `storage-${round}`
  const environment = { STORAGE_GROUP_ID: name }
  const pid = await startGroup(bench, { role: 'storage', name, environment })
  const seen = () => look(postgres, name, withChildren([pid]))
  // Starts measuring at the first rows, to exclude process startup.
  const first = await seenWhen(seen, ({ consumed }) => consumed > 0)
  const last = await seenWhen(seen, ({ consumed }) => consumed >= options.decisions)
  await bench.end(name)
  const rows = last.consumed - first.consumed
  return {
    storage_rows_per_second: (rows / (last.at - first.at)) * 1000,
    storage_cpu_us_per_row: (last.cpu - first.cpu) / rows
  }
}

interface Look {
  readonly consumed: number
  /** Time on a monotonic clock, in milliseconds. */
  readonly at: number
  /** CPU time so far in microseconds. */
  readonly cpu: number
}

async function look(postgres: Postgres, group: string, pids: readonly number[]): Promise<Look> {
  const [row] = await postgres.query<{ consumed: number }>(
    `select coalesce(sum(next_offset), 0)::bigint as consumed
       from consumed_offsets where group_id = $1`,
    [group]
  )
  return { consumed: row?.consumed ?? 0, at: performance.now(), cpu: cpuMicroseconds(pids) }
}

async function seenWhen(seen: () => Promise<Look>, isIt: (look: Look) => boolean): Promise<Look> {
  for (;;) {
    const found = await seen()
    if (isIt(found)) return found
    await sleep(pollMs)
  }
}

/**
 * Returns the rows per second of COPY from a file on the server, so that no client slows it down.
 */
async function measureCopy(postgres: Postgres, decisions: number): Promise<number> {
  const [found] = await postgres.query<{ file: string }>(
    `select current_setting('data_directory') || '/bench.copy' as file`
  )
  const file = `'${found?.file ?? ''}'`
  await postgres.query(`copy (select * from decisions) to ${file}`)
  await empty(postgres)
  const startedAt = performance.now()
  await postgres.query(`copy decisions from ${file}`)
  return (decisions / (performance.now() - startedAt)) * 1000
}

/**
 * Truncates the tables and runs a checkpoint, so that pending writes do not disturb the
 * measurement.
 */
async function empty(postgres: Postgres): Promise<void> {
  const tables = 'decisions, decision_ids, decision_hours, decision_facet_hours, agents'
  await postgres.query(`truncate ${tables}`)
  await postgres.query(`checkpoint`)
}

async function countRows(postgres: Postgres): Promise<number> {
  const [row] = await postgres.query<{ rows: number }>(`select count(*) as rows from decisions`)
  return row?.rows ?? 0
}

interface Figures {
  readonly decisions: number
  readonly bytes_per_decision: number
  readonly rows: number
  readonly rounds: readonly Round[]
  /** Median of the rounds' ratios of storage's rows/s to COPY's rows/s. */
  readonly ratio: number
}

function pageOf({ decisions, rows, rounds, ratio }: Figures): string[] {
  const outcome = ratio >= atLeast ? 'met' : 'missed'
  const goal = `the goal of at least ${atLeast.toFixed(2)} is ${outcome}`
  const lines = rounds.map((round, at) => [String(at + 1), ...lineOf(round)])
  const heads = ['storage, rows/s', 'CPU µs/row of its process', 'COPY, rows/s', 'storage / COPY']
  return [
    markdownTable(['round', ...heads], lines, 1),
    '',
    `Median ratio: ${ratio.toFixed(2)}; ${goal}.`,
    `${decisions} decisions in the topic, ${rows} rows in the table.`
  ]
}

function lineOf(round: Round | undefined): string[] {
  if (round === undefined) return []
  return [
    round.storage_rows_per_second.toFixed(0),
    round.storage_cpu_us_per_row.toFixed(1),
    round.copy_rows_per_second.toFixed(0),
    round.ratio.toFixed(2)
  ]
}
