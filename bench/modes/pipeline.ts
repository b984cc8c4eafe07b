/** `--pipeline`: measures the cost of each part of the whole system under full load. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import { signalTree } from '../../stack/processes/process-tree.ts'
import { shapes } from '../load/shapes.ts'
import { openBench } from '../open-bench.ts'
import type { OpenBench } from '../open-bench.ts'
import { markdownTable } from '../report/markdown.ts'
import { median } from '../report/median.ts'
import type { BenchResult } from '../report/bench-result.ts'
import { markdownOfPipelineGoals } from '../report/pipeline-goals.ts'
import type { PipelineFigures } from '../report/pipeline-goals.ts'
import type { Session } from '../session.ts'
import { familyMicroseconds } from '../system/cpu.ts'
import { bytesIn, addedBetween, markdownOfAdded, readStoredBytes } from '../system/added-bytes.ts'
import type { AddedBytes } from '../system/added-bytes.ts'
import { openPostgres } from '../system/open-postgres.ts'
import { measureWaits } from '../system/stored-waits.ts'
import { evaluationsTopic, measureLoad, parts, send } from '../system/whole-system.ts'
import { startWholeSystem } from '../system/whole-system.ts'
import type { LoadCost, Sending, WholeSystem } from '../system/whole-system.ts'
import { measureBesideCopy } from './storage.ts'

/**
 * Number of decisions for the warm-up, the evaluation backlog and the COPY comparison, as multiples
 * of `--decisions` (by default 30,000, 35,000 and 150,000). After a shorter warm-up, JIT
 * compilation would take half of Kafka's CPU time.
 */
const warmUpShare = 1 / 2
const backlogShare = 7 / 12
const copyShare = 5 / 2
/** Maximum duration of a load. A load usually ends earlier, when all its requests are sent. */
const sendSecondsMax = 600
const statementTimeoutMs = 300_000
/**
 * Session timeout, long enough that a process stays in its group while it is stopped for a minute.
 * A longer timeout would delay processes that join the group: they wait until each member has sent
 * its next heartbeat, and the heartbeat interval is a tenth of the session timeout.
 */
const groupSettings = { CONSUMER_SESSION_TIMEOUT_MS: '120000' }

interface Measured extends LoadCost {
  readonly kept: AddedBytes
  /** CPU time of the evaluation processes per decision while storage is stopped. */
  readonly evaluation_us: number
  readonly waits_ms: readonly number[]
  /** Number of accepted decisions that are not stored or not evaluated. */
  readonly lost: number
}

interface Turn extends Measured {
  readonly checkout: string
  /** Number of processes per role (storage and evaluation). */
  readonly members: number
}

type Copy = Awaited<ReturnType<typeof measureBesideCopy>>

export async function runPipeline(session: Session): Promise<BenchResult> {
  const { bench, options, say, keep } = session
  const checkouts = checkoutsOf(options.against)
  const decisions = Math.round(options.decisions * copyShare)
  say(`comparing storage of ${decisions} decisions with COPY`)
  const copy = await measureBesideCopy({ ...session, options: { ...options, decisions } })
  // Stops these services, because each measurement starts its own with empty tables and topics.
  await bench.stop()
  const turns: Turn[] = []
  const [first = 1] = options.members
  for (let round = 1; round <= options.rounds; round++) {
    for (const [checkout, folder] of checkouts) {
      for (const members of options.members) {
        say(`round ${round}/${options.rounds}, ${checkout}, members: ${members}`)
        const turn = { checkout, members, ...(await takeTurn(session, folder, members)) }
        turns.push(turn)
        say(`  ${cellsOf(turn).join(' | ')}`)
      }
    }
    keep(resultOf(turns, copy, first))
  }
  return resultOf(turns, copy, first)
}

const own = 'this'
const other = 'release before'

/** Returns the name and folder of each checkout, in the order of measurement. */
function checkoutsOf(against: string | null): [string, string][] {
  if (against === null) return [[own, process.cwd()]]
  const folder = resolve(against)
  if (!existsSync(join(folder, 'consumers/main.ts')) || !existsSync(join(folder, 'node_modules')))
    throw new Error(
      `--against is "${against}", which is not a checkout of Sluice with its node_modules.`
    )
  return [
    [own, process.cwd()],
    [other, folder]
  ]
}

interface Scene {
  readonly session: Session
  readonly bench: OpenBench
  readonly system: WholeSystem
  readonly postgres: Postgres
}

async function takeTurn(session: Session, checkout: string, members: number): Promise<Measured> {
  const { signal } = session.bench
  const settings = { say: () => {}, signal, nodeFlags: [], checkout, isDurable: true }
  const bench = await openBench(settings)
  try {
    const system = await startWholeSystem(bench, { members, environment: groupSettings })
    const postgres = openPostgres(bench, { statementTimeoutMs })
    return await measure({ session, bench, system, postgres })
  } finally {
    await bench.stop()
  }
}

async function measure(scene: Scene): Promise<Measured> {
  const { session, bench, system, postgres } = scene
  const { load, say } = session
  const before = await readStoredBytes(bench, postgres)
  say('  warm-up, then full load')
  const warmUp = await send(system, load, sendingOf(session, warmUpShare))
  const cost = await measureLoad(system, load, sendingOf(session, 1))
  say(`  ${cost.accepted} decisions: their scores were stored after ${cost.seconds.toFixed(0)} s`)
  const decisions = warmUp + cost.accepted
  const kept = addedBetween(before, await readStoredBytes(bench, postgres), decisions)
  say('  evaluation alone')
  const { backlog, evaluation_us } = await measureEvaluation(scene)
  say(`  ${backlog} evaluations wait for storage`)
  signalAll(system.pids.storage, 'SIGCONT')
  const waits_ms = await measureWaits(system, postgres, bench.signal)
  await system.catchUp()
  const [found] = await postgres.query<{ stored: number }>(
    'select count(*) as stored from decision_ids'
  )
  const evaluated = await bench.countRecords(evaluationsTopic)
  const lost = decisions + backlog + waits_ms.length - Math.min(found?.stored ?? 0, evaluated)
  return { ...cost, kept, evaluation_us, waits_ms, lost: Math.max(0, lost) }
}

function sendingOf({ options: { decisions, connections } }: Session, share: number): Sending {
  const requests = Math.ceil((decisions * share) / shapes.batch.decisions)
  return { shape: 'batch', connections, rate: 0, seconds: sendSecondsMax, requests }
}

/**
 * Stores decisions while evaluation is stopped, then evaluates them while storage is stopped. On
 * return, storage is still stopped and has a backlog of evaluations only.
 */
async function measureEvaluation({ session, system }: Scene) {
  const { pids, groups } = system
  signalAll(pids.evaluation, 'SIGSTOP')
  const backlog = await send(system, session.load, sendingOf(session, backlogShare))
  await groups.stored.catchUp()
  signalAll(pids.storage, 'SIGSTOP')
  const before = familyMicroseconds(pids.evaluation)
  signalAll(pids.evaluation, 'SIGCONT')
  await groups.evaluated.catchUp()
  return { backlog, evaluation_us: (familyMicroseconds(pids.evaluation) - before) / backlog }
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) signalTree(pid, signal)
}

/**
 * Creates the result. Only measurements with `members` processes per role are compared with the
 * goals.
 */
function resultOf(turns: readonly Turn[], copy: Copy, members: number): BenchResult {
  const [ours, others] = [own, other].map((name) =>
    turns.filter((one) => one.checkout === name && one.members === members)
  )
  const measured = { ...figuresOf(ours ?? []), copy_ratio: copy.ratio }
  const before = others?.length === 0 ? {} : figuresOf(others ?? [])
  const lost = turns.reduce((sum, turn) => sum + turn.lost, 0)
  const kept = ours?.at(-1)?.kept
  const page = [
    markdownOfPipelineGoals(measured, before),
    '',
    markdownTable(heads, turns.map(cellsOf), 1),
    '',
    ...(kept === undefined ? [] : [markdownOfAdded(kept), '']),
    'Medians of the turns, the longest of all waits. CPU is in µs of one decision of 1.2 kB, ' +
      'sent in batches of 100, with the default rule. `members` is the number of storage ' +
      `processes and of evaluation processes. ${lost} accepted decisions are lost.`
  ]
  return { isComplete: lost === 0, page, figures: { measured, before, turns, copy } }
}

export function figuresOf(turns: readonly Measured[]): Omit<PipelineFigures, 'copy_ratio'> {
  const of = (value: (turn: Measured) => number): number => median(turns.map(value))
  const waits = turns.flatMap(({ waits_ms }) => waits_ms)
  return {
    cpu_us: of(cpuAfterGateway),
    decisions_per_second: of(({ accepted, seconds }) => accepted / seconds),
    postgres_bytes: of(({ kept }) => bytesIn(kept)),
    wal_bytes: of(({ kept }) => kept.wal),
    wait_p50_s: median(waits) / 1000,
    wait_max_s: Math.max(...waits) / 1000,
    evaluation_us: of(({ evaluation_us }) => evaluation_us)
  }
}

function cpuAfterGateway({ cpu }: Measured): number {
  return parts.reduce((sum, part) => sum + (part === 'gateway' ? 0 : cpu[part]), 0)
}

const heads = [
  'checkout',
  'members',
  'decisions/s',
  ...parts,
  'after the gateway',
  'evaluation alone',
  'Postgres bytes',
  'WAL bytes',
  'waits',
  'p50 s',
  'longest s'
]

function cellsOf(turn: Turn): string[] {
  const figures = figuresOf([turn])
  return [
    turn.checkout,
    String(turn.members),
    figures.decisions_per_second.toFixed(0),
    ...parts.map((part) => turn.cpu[part].toFixed(0)),
    ...[figures.cpu_us, figures.evaluation_us, figures.postgres_bytes, figures.wal_bytes].map(
      (value) => value.toFixed(0)
    ),
    String(turn.waits_ms.length),
    figures.wait_p50_s.toFixed(2),
    figures.wait_max_s.toFixed(2)
  ]
}
