/** `--sdk`: measures what the SDKs cost their host program, with and without an outage. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import { freePort } from '../../stack/ports.ts'
import { makeDecisions } from '../load/decisions.ts'
import { markdownTable } from '../report/markdown.ts'
import { openPostgres } from '../system/open-postgres.ts'
import type { BenchResult } from '../report/bench-result.ts'
import type { Bench } from '../row.ts'
import { decisionsTopic, startGateway } from '../rows/gateway.ts'
import { languages, runHost } from '../sdk/host-process.ts'
import type { EnqueueReport, HostOrder, SdkLanguage, SendReport } from '../sdk/host-process.ts'
import type { Session } from '../session.ts'
import { startStorage } from '../system/storage-lag.ts'
import type { StorageLag } from '../system/storage-lag.ts'

const sent = 100_000
const enqueue = { rounds: 20, count: 5000 }
const flushMs = 120_000
const beforeOutageMs = 10_000
const outageMs = 20_000
const statementTimeoutMs = 60_000
/**
 * Maximum microseconds per `log` call by language, and maximum event loop delay in milliseconds.
 */
const goals = { typescript: 15, python: 40, loopMs: 5 }
/** URL on which no server listens. */
const nowhere = 'http://127.0.0.1:9'

interface Line {
  readonly language: SdkLanguage
  readonly what: 'steady' | 'outage'
  readonly report: SendReport
  readonly stored: number
  /**
   * Number of records on the topic. It can exceed `stored`, because a decision without a response
   * is sent again but stored once.
   */
  readonly records: number
}

export async function runSdk(session: Session): Promise<BenchResult> {
  const { bench, options, say } = session
  const file = join(bench.folder, 'decisions.json')
  writeFileSync(file, JSON.stringify(makeDecisions()))
  const order = { file, ...enqueue, rate: options.rate, flushMs }
  const costs: Partial<Record<SdkLanguage, number>> = {}
  for (const language of languages) {
    const env = environmentOf(bench, nowhere, 'enqueue')
    const task: HostOrder = { ...order, what: 'enqueue' }
    costs[language] = (await runHost<EnqueueReport>(language, task, env)).enqueue_us
    say(`  ${language}: ${costs[language].toFixed(1)} µs to log a decision`)
  }
  const restartable = await startRestartable(bench)
  const counting = await openCounting(session)
  const lines: Line[] = []
  for (const language of languages) {
    for (const what of ['steady', 'outage'] as const) {
      bench.signal.throwIfAborted()
      lines.push(await drive({ language, what, order, restartable, counting, bench }))
      say(`  ${cellsOf(lines.at(-1)).join(' | ')}`)
    }
  }
  const figures = { rate: options.rate, costs, lines }
  return { isComplete: lines.every(isExact), page: pageOf(figures), figures }
}

function environmentOf(bench: Bench, url: string, agent: string): NodeJS.ProcessEnv {
  return { SLUICE_API_KEY: bench.apiKey, SLUICE_BASE_URL: url, SLUICE_AGENT_ID: agent }
}

interface RestartableGateway {
  readonly url: string
  close(): Promise<void>
  open(): Promise<void>
}

/** Starts a gateway that can be stopped and restarted on the same port. */
async function startRestartable(bench: Session['bench']): Promise<RestartableGateway> {
  const [name, port] = ['gateway-sdk', await freePort()]
  const environment = { GATEWAY_PORT: String(port) }
  const open = async (): Promise<void> => {
    await startGateway(bench, { name, path: '', environment })
  }
  await open()
  return { url: `http://127.0.0.1:${port}`, close: () => bench.end(name), open }
}

interface Counting {
  readonly storage: StorageLag
  readonly postgres: Postgres
  records(): Promise<number>
}

async function openCounting({ bench }: Session): Promise<Counting> {
  const storage = await startStorage(bench)
  const postgres = openPostgres(bench, { statementTimeoutMs })
  return { storage, postgres, records: () => bench.countRecords(decisionsTopic) }
}

interface Driving {
  readonly language: SdkLanguage
  readonly what: Line['what']
  readonly order: Omit<HostOrder, 'what'>
  readonly restartable: RestartableGateway
  readonly counting: Counting
  readonly bench: Bench
}

async function drive({
  language,
  what,
  order,
  restartable,
  counting,
  bench
}: Driving): Promise<Line> {
  const agent = `${language}-${what}`
  const before = await counting.records()
  const task: HostOrder = { ...order, what: 'send', count: sent }
  const running = runHost<SendReport>(language, task, environmentOf(bench, restartable.url, agent))
  const breaking = what === 'outage' ? breakOff(restartable) : Promise.resolve()
  const [report] = await Promise.all([running, breaking])
  await counting.storage.catchUp()
  const [row] = await counting.postgres.query<{ stored: number }>(
    'select count(*)::int as stored from decisions where agent_id = $1',
    [agent]
  )
  const records = (await counting.records()) - before
  return { language, what, report, stored: row?.stored ?? 0, records }
}

async function breakOff(restartable: RestartableGateway): Promise<void> {
  await sleep(beforeOutageMs)
  await restartable.close()
  await sleep(outageMs)
  await restartable.open()
}

function droppedOf({ stats }: SendReport): number {
  return Object.values(stats.dropped).reduce((sum, count) => sum + count, 0)
}

/**
 * Checks that every decision is either stored or counted as dropped and, without an outage, sent
 * only once.
 */
function isExact({ what, report, stored, records }: Line): boolean {
  const isWhole = report.stats.logged === sent && stored + droppedOf(report) === sent
  return isWhole && report.stats.sent === stored && (what === 'outage' || records === sent)
}

interface Figures {
  readonly rate: number
  readonly costs: Partial<Record<SdkLanguage, number>>
  readonly lines: readonly Line[]
}

function pageOf({ rate, costs, lines }: Figures): string[] {
  const costLines = languages.map((language) => {
    const cost = costs[language] ?? Number.NaN
    const isMet = cost <= goals[language] ? 'met' : 'missed'
    return [language, cost.toFixed(1), `at most ${goals[language]}`, isMet]
  })
  return [
    markdownTable(['log, one decision', 'µs', 'goal', ''], costLines, 1),
    '',
    markdownTable(
      ['SDK', 'gateway', 'logged', 'stored', 'dropped', 'resent', 'loop p99 ms', 'CPU-µs'],
      lines.map(cellsOf),
      2
    ),
    '',
    `${rate} decisions/s of 1.2 kB with default settings. In an outage the gateway stops ` +
      `${beforeOutageMs / 1000} s after the beginning for ${outageMs / 1000} s. Stored and ` +
      `dropped decisions ${lines.every(isExact) ? 'add up' : 'do NOT add up'} to the logged ` +
      `ones. The goal for the event loop delay is at most ${goals.loopMs} ms. CPU time is for ` +
      'the whole program.'
  ]
}

function cellsOf(line: Line | undefined): string[] {
  if (line === undefined) return []
  const { language, what, report, stored, records } = line
  return [
    language,
    what === 'outage' ? 'stopped for a while' : 'running',
    ...[report.stats.logged, stored, droppedOf(report), records - stored].map(String),
    report.loop_p99_ms?.toFixed(1) ?? '–',
    report.cpu_us.toFixed(0)
  ]
}
