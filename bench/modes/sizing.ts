/** What a decision costs every process at several rates, and how many bytes it leaves behind. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import { cpuMicroseconds } from '../system/cpu.ts'
import { followGroup } from '../system/follow-group.ts'
import { markdownTable } from '../report/markdown.ts'
import { openPostgres } from '../system/open-postgres.ts'
import type { Outcome } from '../report/outcome.ts'
import { postmasterId, withChildren } from '../system/process-family.ts'
import type { Row } from '../row.ts'
import { decisionsTopic, gateway, gatewayBatch } from '../rows/gateway.ts'
import type { Session } from '../session.ts'
import { shapes } from '../load/shapes.ts'
import { startGroup } from '../system/start-group.ts'
import { startRow } from '../start-row.ts'
import { evaluationsGroupOf } from '../../platform/kafka/storage-groups.ts'

const evaluationsTopic = 'decision-evaluations'
const statementTimeoutMs = 60_000

/** Requests in a second; the batches carry a hundred decisions each. */
const steps: readonly { readonly row: Row; readonly rate: number }[] = [
  { row: gateway, rate: 100 },
  { row: gateway, rate: 500 },
  { row: gateway, rate: 2000 },
  { row: gatewayBatch, rate: 50 }
]

type Cpu = Readonly<Record<'gateway' | 'storage' | 'evaluation' | 'postgres' | 'kafka', number>>
const parts = ['gateway', 'storage', 'evaluation', 'postgres', 'kafka'] as const

interface Step {
  readonly sent: string
  readonly decisions_per_second: number
  readonly accepted: number
  /** Microseconds of processor time for a decision. */
  readonly cpu: Cpu
}

export async function runSizing(session: Session): Promise<Outcome> {
  const { bench, say } = session
  const targets = {
    [gateway.name]: await startRow(gateway, bench),
    [gatewayBatch.name]: await startRow(gatewayBatch, bench)
  }
  const storage = await startGroup(bench, { role: 'storage' })
  const evaluation = await startGroup(bench, { role: 'evaluation' })
  const postgres = openPostgres(bench, { statementTimeoutMs })
  const [kafka, database] = [kafkaId(), await postmasterId(postgres)]
  const groups = {
    storage: followGroup(bench, 'sluice-storage'),
    storageOfEvaluations: followGroup(bench, evaluationsGroupOf('sluice-storage')),
    evaluation: followGroup(bench, 'sluice-evaluation')
  }
  const catchUp = async (): Promise<void> => {
    await groups.storage.catchUp(decisionsTopic)
    await groups.evaluation.catchUp(decisionsTopic)
    await groups.storageOfEvaluations.catchUp(evaluationsTopic)
  }
  const measured: Step[] = []
  // The first is to warm up.
  for (const { row, rate } of [...steps.slice(0, 1), ...steps]) {
    const target = targets[row.name] ?? noTarget()
    const pids: Readonly<Record<(typeof parts)[number], readonly number[]>> = {
      gateway: target.pids,
      storage: [storage],
      evaluation: [evaluation],
      postgres: [database],
      kafka: [kafka]
    }
    const read = (): Cpu => mapParts((part) => cpuMicroseconds(withChildren([...pids[part]])))
    await catchUp()
    const before = read()
    const { url, headers } = target
    const { seconds, connections } = session.options
    const order = { url, headers, shape: row.shape, rate, seconds, connections }
    const { statuses } = await session.load.run(order)
    await catchUp()
    const after = read()
    const accepted = (statuses[row.accepted] ?? 0) * shapes[row.shape].decisions
    const cpu = mapParts((part) => (after[part] - before[part]) / accepted)
    const decisions_per_second = rate * shapes[row.shape].decisions
    const step = { sent: row.name, decisions_per_second, accepted, cpu }
    measured.push(step)
    say(`  ${cellsOf(step).join(' | ')}`)
  }
  const sizes = await readSizes(session, postgres)
  const figures = { steps: measured.slice(1), sizes }
  return { isComplete: true, page: pageOf(figures), figures }
}

function noTarget(): never {
  throw new Error('there is no such row')
}

function mapParts(of: (part: keyof Cpu) => number): Cpu {
  return Object.fromEntries(parts.map((part) => [part, of(part)])) as Cpu
}

/** The broker is found among our children: nothing else says which process it is. */
function kafkaId(): number {
  const found = withChildren([process.pid]).find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('kafka.Kafka')
  )
  if (found === undefined) throw new Error('Kafka is no process of this machine: use native')
  return found
}

interface Sizes {
  readonly decisions: number
  /** Bytes for a decision: on each topic, without copies; and in Postgres. */
  readonly decisions_topic: number
  readonly evaluations_topic: number
  readonly [of: string]: number
}

async function readSizes({ bench }: Session, postgres: Postgres): Promise<Sizes> {
  const [row] = await postgres.query<Record<string, number>>(
    `select (select count(*) from decisions)::float8 as decisions,
            sum(pg_table_size(c.oid)) filter (where c.relname ~ $1)::float8 as decision_rows,
            sum(pg_indexes_size(c.oid)) filter (where c.relname ~ $1)::float8 as decision_indexes,
            sum(pg_table_size(c.oid)) filter (where c.relname !~ $1)::float8 as evaluation_rows,
            sum(pg_indexes_size(c.oid)) filter (where c.relname !~ $1)::float8
              as evaluation_indexes,
            (select count(*) from evaluation_runs)::float8 as runs,
            pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind = 'r'`,
    ['^(decisions|decision_ids)']
  )
  const { decisions = 0, ...sums } = row ?? {}
  const each = (bytes: number): number => bytes / decisions
  return {
    decisions,
    decisions_topic: each(topicBytes(bench.folder, decisionsTopic)),
    evaluations_topic: each(topicBytes(bench.folder, evaluationsTopic)),
    ...Object.fromEntries(Object.entries(sums).map(([name, bytes]) => [name, each(bytes)]))
  }
}

/** The segments of all its partitions, as the broker has written them. */
function topicBytes(folder: string, topic: string): number {
  const partition = new RegExp(`/${topic}-\\d+/\\d+[.]log$`)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => partition.test(path))
    .reduce((sum, path) => sum + statSync(join(folder, path)).size, 0)
}

function cellsOf({ sent, decisions_per_second, accepted, cpu }: Step): string[] {
  const costs = parts.map((part) => cpu[part].toFixed(1))
  return [sent, String(decisions_per_second), String(accepted), ...costs]
}

function pageOf({ steps: measured, sizes }: { steps: readonly Step[]; sizes: Sizes }): string[] {
  const heads = parts.map((part) => `${part} CPU-µs`)
  const { decisions, ...bytes } = sizes
  const rows = Object.entries(bytes).map(([what, value]) => [
    what.replaceAll('_', ' '),
    value.toFixed(0)
  ])
  return [
    markdownTable(['sent to', 'decisions/s', 'accepted', ...heads], measured.map(cellsOf), 0),
    '',
    markdownTable(['bytes for a decision', ''], rows, 0),
    '',
    `${decisions} decisions of 1.2 kB with the default rule; CPU is for one decision.`
  ]
}
