/** `--evaluation`: measures the evaluation process's CPU time per decision for several rule sets.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import { freePort } from '../../stack/ports.ts'
import { runSluice } from '../../stack/sluice-command.ts'
import { cpuMicroseconds, modesOf } from '../system/cpu.ts'
import { judgedRate, rowsOfRules } from '../evaluation-rules.ts'
import type { FillOrder, FillReport } from '../fill-topic.ts'
import { startLoad } from '../load/load-process.ts'
import { markdownTable } from '../report/markdown.ts'
import { median } from '../report/median.ts'
import { openPostgres } from '../system/open-postgres.ts'
import type { BenchResult } from '../report/bench-result.ts'
import { withChildren } from '../system/process-family.ts'
import { evaluationsTopic } from '../system/whole-system.ts'
import type { Session } from '../session.ts'
import { startGroup } from '../system/start-group.ts'
import type { GroupSettings } from '../system/start-group.ts'
import {
  clearProfiles,
  monotonicMicroseconds,
  profileFlags,
  readProfiles
} from './profile-gateway.ts'

const decisions = 20_000
const pollMs = 50
const statementTimeoutMs = 120_000

interface Case {
  readonly name: string
  readonly isOffline: boolean
  readonly isJudged: boolean
}

const cases: readonly Case[] = [
  { name: 'default rule', isOffline: false, isJudged: false },
  { name: 'and three offline rules', isOffline: true, isJudged: false },
  { name: `and a judge of ${judgedRate * 100} %`, isOffline: true, isJudged: true }
]
/** The case whose CPU profile is reported. */
const profiled = cases[1]

interface Measured {
  readonly rules: string
  readonly cpu_us_per_decision: number
  /** Share of CPU time spent in the kernel, from 0 to 1. */
  readonly system_share: number
  readonly decisions_per_second: number
  readonly runs_open: number
}

interface Scene {
  readonly session: Session
  readonly postgres: Postgres
  readonly judgeUrl: string
}

export async function runEvaluation(session: Session, folder: string): Promise<BenchResult> {
  const { bench, options, say } = session
  const postgres = openPostgres(bench, { statementTimeoutMs })
  const scene = { session, postgres, judgeUrl: await startJudge(session) }
  const rounds: Measured[][] = []
  for (let round = 1; round <= options.rounds; round++) {
    const measured: Measured[] = []
    for (const one of cases) {
      measured.push((await measureCase(scene, one)).measured)
      say(`  round ${round}/${options.rounds}: ${lineOf(measured.slice(-1)).join(' | ')}`)
    }
    rounds.push(measured)
  }
  clearProfiles(folder)
  const { span } = await measureCase(scene, profiled ?? noCase(), profileFlags(folder))
  const { profiles, page } = readProfiles(folder, span)
  const isComplete = rounds.flat().every(({ runs_open }) => runs_open === 0)
  return {
    isComplete,
    page: [...pageOf(rounds), '', `Where it went, with three offline rules:`, '', ...page],
    figures: { decisions, rounds, profiles }
  }
}

function noCase(): never {
  throw new Error('no case to profile')
}

async function startJudge({ bench }: Session): Promise<string> {
  const port = await freePort()
  await bench.run({
    name: 'judge',
    args: ['test/support/judge-server.ts', '--port', String(port)],
    environment: process.env,
    probe: async () => (await fetch(`http://127.0.0.1:${port}/control`)).ok
  })
  return `http://127.0.0.1:${port}/v1`
}

/** Measures a case with a new organization, topic and evaluation process. */
async function measureCase(scene: Scene, one: Case, nodeFlags: readonly string[] = []) {
  const { session, postgres, judgeUrl } = scene
  const organizationId = randomUUID()
  const topic = `bench-${organizationId}`
  const connectionId = one.isJudged ? `con_${organizationId.replaceAll('-', '')}` : null
  const wanted = { isOffline: one.isOffline, connectionId }
  for (const { text, values } of rowsOfRules(organizationId, wanted, judgeUrl)) {
    await postgres.query(text, values)
  }
  await fillTopic(session, { topic, organizationId, decisions, isExpected: true })
  const publishedBefore = await session.bench.countRecords(evaluationsTopic)
  const watched = { ...scene, organizationId, publishedBefore }
  const ends: (() => Promise<void>)[] = []
  // A judge reads stored decisions, so storage must write them first. Without a judge, storage does
  // not run, because it would compete for the CPU.
  if (one.isJudged) ends.push((await startOf(topic, { role: 'storage' }, session)).end)
  if (one.isJudged) await seenWhen(watched, ({ stored }) => stored >= decisions)
  const { pid, end } = await startOf(topic, { role: 'evaluation', nodeFlags }, session)
  const look = async (isIt: (found: Counts) => boolean) => {
    const counts = await seenWhen(watched, isIt)
    const cpu = cpuMicroseconds(withChildren([pid]))
    return { counts, cpu, at: performance.now(), ...modesOf(pid) }
  }
  const first = await look(({ published }) => published > 0)
  const from = monotonicMicroseconds()
  const last = await look(({ published, open }) => published >= decisions && open === 0)
  const span = { from, to: monotonicMicroseconds() }
  await end()
  for (const stop of ends) await stop()
  // Keeps `done` positive: `published` can exceed the number of decisions, because each judge run
  // adds a record.
  const done = decisions - Math.min(first.counts.published, decisions - 1)
  const [user, system] = [last.user - first.user, last.system - first.system]
  const measured: Measured = {
    rules: one.name,
    cpu_us_per_decision: (last.cpu - first.cpu) / done,
    system_share: system / Math.max(1, user + system),
    decisions_per_second: (done / (last.at - first.at)) * 1000,
    runs_open: last.counts.open
  }
  return { measured, span }
}

async function fillTopic({ bench }: Session, order: FillOrder): Promise<void> {
  const { environment, signal } = bench
  await bench.applyTopic(order.topic)
  const own = { ...environment, DECISIONS_TOPIC: order.topic }
  await runSluice({ args: ['schemas', 'register'], environment: own, signal })
  const fill = startLoad<FillOrder, FillReport>('fill-topic.ts', { environment: own, signal })
  try {
    await fill.run(order)
  } finally {
    await fill.stop()
  }
}

type Settings = Pick<GroupSettings, 'role' | 'nodeFlags'>

/** Starts a process with new consumer groups, which read decisions only from this topic. */
async function startOf(topic: string, settings: Settings, { bench }: Session) {
  const name = `${settings.role} of ${topic}`
  const environment = {
    DECISIONS_TOPIC: topic,
    STORAGE_GROUP_ID: `storage of ${topic}`,
    EVALUATION_GROUP_ID: `evaluation of ${topic}`
  }
  const pid = await startGroup(bench, { ...settings, name, environment })
  return { pid, end: () => bench.end(name) }
}

interface Counts {
  readonly stored: number
  /** Number of evaluation records published since the case began. */
  readonly published: number
  /** Number of runs that have not been published yet. */
  readonly open: number
}

interface CountsQuery extends Scene {
  readonly organizationId: string
  /** Number of evaluation records on the topic before this case. */
  readonly publishedBefore: number
}

async function seenWhen(
  { postgres, session, organizationId, publishedBefore }: CountsQuery,
  isIt: (found: Counts) => boolean
): Promise<Counts> {
  for (;;) {
    const published = (await session.bench.countRecords(evaluationsTopic)) - publishedBefore
    const [row] = await postgres.query<Record<string, unknown> & Omit<Counts, 'published'>>(
      `select (select count(*) from decision_ids where organization_id = $1) as stored,
              (select count(*) from pending_runs
                where organization_id = $1 and published_at is null) as open`,
      [organizationId]
    )
    if (row !== undefined && isIt({ ...row, published })) return { ...row, published }
    await sleep(pollMs)
  }
}

function pageOf(rounds: readonly (readonly Measured[])[]): string[] {
  const lines = cases.map((_, index) => lineOf(rounds.flatMap((round) => round[index] ?? [])))
  const heads = ['rules', 'CPU µs/decision of the process', 'in the kernel', 'decisions/s']
  return [
    markdownTable(heads, lines, 1),
    '',
    `Medians of ${rounds.length} rounds with ${decisions} decisions each, from the first ` +
      'record to the last published run.'
  ]
}

function lineOf(measured: readonly Measured[]): string[] {
  const of = (value: (one: Measured) => number): number => median(measured.map(value))
  return [
    measured[0]?.rules ?? '',
    of((one) => one.cpu_us_per_decision).toFixed(1),
    `${(of((one) => one.system_share) * 100).toFixed(0)} %`,
    of((one) => one.decisions_per_second).toFixed(0)
  ]
}
