/** What an innocent organization notices while another one attacks, attack by attack. */
import { parseBootstrap } from '../../stack/tour/credentials.ts'
import { waitUntil } from '../../stack/wait-until.ts'
import { runSluice } from '../../stack/sluice-command.ts'
import { agentsFlow, attacks, innocentFlows } from '../attacks.ts'
import type { Flow } from '../attacks.ts'
import { startLoad } from '../load/load-process.ts'
import type { LoadProcess } from '../load/load-process.ts'
import type { FlowOrder, FlowReport } from '../load/send-flows.ts'
import { benchLogin } from '../open-bench.ts'
import {
  cellsOf,
  fairnessGoals,
  markdownOfFairness,
  missedBy,
  noticedIn,
  ratiosOf,
  textOf
} from '../report/fairness-row.ts'
import type { FairnessRow, Noticed } from '../report/fairness-row.ts'
import type { Outcome } from '../report/outcome.ts'
import { sampleWhile } from '../sample.ts'
import type { Session } from '../session.ts'
import { logIn } from '../system/api-gateway.ts'
import { cpuMicroseconds } from '../system/cpu.ts'
import { readEventLoopLag } from '../system/event-loop.ts'
import { openPostgres } from '../system/open-postgres.ts'
import { startWholeSystem } from '../system/whole-system.ts'

const innocentAddress = '127.0.0.1'
const attackerAddress = '127.0.0.2'
const sampleMs = 1000
const statementTimeoutMs = 60_000
const deferredTimeoutMs = 300_000
/** For the last answers to the innocent organization. */
const drainMs = 20_000
const agentsSeconds = 60
/** Accepting a batch of 500 takes about 0.1 s, and 20 of them use up the limit of a minute. */
const spendSeconds = 5
/** The gateway reports its longest pause of ten seconds: after two reports, no attack is in it. */
const recoveryMs = { min: 20_000, max: 60_000 }
/** Recovered is who has a p99 of at most so many times the quiet one. */
const recoveredRatio = 2
/**
 * Maximum measurements of one attack. Another program on the machine may slow down one measurement;
 * an attack slows down each of them.
 */
const measurementsMax = 3

interface Account {
  readonly login: typeof benchLogin
  readonly apiKey: string
}

type FlowLoad = LoadProcess<FlowOrder, FlowReport>

interface Stage {
  readonly session: Session
  readonly url: string
  readonly readPause: () => Promise<number>
  readonly innocent: FlowLoad
  readonly attacker: FlowLoad
  /** Reports of all quiet windows so far: in a single one, p99 is the third slowest read. */
  readonly quiet: FlowReport[]
  /** Resolves when nothing waits to be stored or evaluated. */
  readonly catchUp: () => Promise<void>
}

interface Figures {
  readonly seconds: number
  readonly rows: readonly FairnessRow[]
  /** Earlier measurements of rows that were measured again. */
  readonly missed: readonly FairnessRow[]
}

export async function runFairness(session: Session): Promise<Outcome> {
  const { options, say } = session
  const stage = await openStage(session)
  const asked = attacks.filter(({ name }) => options.only.includes(name))
  const accounts: (readonly [Flow, Account])[] = []
  // Each attack has an organization of its own: the limits of one would protect from the next.
  for (const attack of asked) {
    accounts.push([attack, await createAttacker(stage, attack, attack.name)])
  }
  const quiet = await measureQuiet(stage)
  say(`  ${cellsOf(quiet).join(' | ')}`)
  const rows = [quiet]
  const missed: FairnessRow[] = []
  for (const [attack, account] of accounts) {
    const tries = await measureUntilMet(stage, { attack, account })
    rows.push(...tries.slice(-1))
    missed.push(...tries.slice(0, -1))
  }
  const figures = { seconds: options.seconds, goals: fairnessGoals, rows, missed }
  return { isComplete: true, page: pageOf(figures), figures }
}

function pageOf({ seconds, rows, missed }: Figures): string[] {
  const names = missed.map((row) => `${row.attack} (${missedBy(row).join(', ')})`)
  const repeated = ` Measured again (missed goals in parentheses): ${names.join('; ')}.`
  const sentence = `${seconds} s each.${names.length === 0 ? '' : repeated}`
  return [markdownOfFairness(rows), '', sentence]
}

async function openStage(session: Session): Promise<Stage> {
  const { bench } = session
  const system = await startWholeSystem(bench)
  const { gateway } = system
  const { url, managementUrl = '' } = gateway
  const start = (): FlowLoad => {
    const load: FlowLoad = startLoad('load/send-flows.ts', { signal: bench.signal })
    bench.onStop(() => load.stop())
    return load
  }
  const catchUp = async (): Promise<void> => {
    await system.catchUp()
    await workOffDeferred(bench)
    await system.catchUp()
  }
  const readPause = () => readEventLoopLag(managementUrl, '1')
  return { session, url, readPause, innocent: start(), attacker: start(), quiet: [], catchUp }
}

async function workOffDeferred(bench: Session['bench']): Promise<void> {
  const postgres = openPostgres(bench, { statementTimeoutMs })
  await waitUntil({
    what: 'deferred decisions were not evaluated',
    timeoutMs: deferredTimeoutMs,
    probe: async () => {
      const deferred = await postgres.query('select from deferred_decisions limit 1')
      return deferred.length === 0
    },
    signal: bench.signal
  })
}

/** @param name of the attacker's organization */
async function createAttacker(stage: Stage, { needsAgents }: Flow, name: string): Promise<Account> {
  const { environment, signal } = stage.session.bench
  const login = { ...benchLogin, email: `${name}@sluice.local` }
  const given = ['--organization', name, '--email', login.email, '--password', login.password]
  const said = await runSluice({ args: ['bootstrap', ...given, '--json'], environment, signal })
  const account = { login, apiKey: parseBootstrap(said).api_key }
  if (needsAgents !== true) return account
  const order = await orderOf(stage, account, attackerAddress)
  const ordered = { ...order, flows: [agentsFlow.name], seconds: agentsSeconds, drainMs }
  const { statuses } = await stage.attacker.run(ordered)
  if (statuses[202] === agentsFlow.requestsMax) return account
  throw new Error(`The decisions of ${name} were answered ${textOf(statuses)}.`)
}

/** With a new session: one ends after 15 minutes. */
async function orderOf({ url }: Stage, { login, apiKey }: Account, localAddress: string) {
  return { origin: url, localAddress, key: apiKey, session: await logIn(url, login) }
}

/** @returns a function that measures responses to the innocent organization for some seconds */
async function openLook(stage: Stage): Promise<(seconds: number) => Promise<FlowReport>> {
  const account = { login: benchLogin, apiKey: stage.session.bench.apiKey }
  const order = await orderOf(stage, account, innocentAddress)
  const flows = innocentFlows.map(({ name }) => name)
  return (seconds) => stage.innocent.run({ ...order, flows, seconds, drainMs })
}

/** After a window that warms up, and when Postgres has statistics of its decisions, too. */
async function measureQuiet(stage: Stage): Promise<FairnessRow> {
  const { bench, options } = stage.session
  const { seconds } = options
  const look = await openLook(stage)
  await look(seconds)
  await stage.catchUp()
  // Postgres does so by itself up to a minute later, in the middle of a measurement.
  await openPostgres(bench, { statementTimeoutMs }).query('vacuum analyze')
  // As long as an attack: the p99 of few answers is their worst one.
  const { result: report, samples } = await sampleWhile(look(seconds), sampleMs, stage.readPause)
  stage.quiet.push(report)
  const result = noticedIn(report)
  const nothing = { recovered_after_s: 0, answers: {}, attacker_cores: 0 }
  const longest_pause_ms = Math.max(...samples)
  return { attack: 'quiet', quiet: result, ...result, ...nothing, longest_pause_ms }
}

interface Strike {
  readonly attack: Flow
  readonly account: Account
}

/** @returns all measurements of the attack; all except possibly the last missed a goal */
async function measureUntilMet(stage: Stage, first: Strike): Promise<FairnessRow[]> {
  const { bench, say } = stage.session
  const { attack } = first
  const tries: FairnessRow[] = []
  for (let strike = first; ;) {
    bench.signal.throwIfAborted()
    const row = await measureAttack(stage, strike)
    say(`  ${cellsOf(row).join(' | ')}`)
    tries.push(row)
    if (missedBy(row).length === 0 || tries.length === measurementsMax) return tries
    const name = `${attack.name}-${tries.length + 1}`
    strike = { attack, account: await createAttacker(stage, attack, name) }
  }
}

async function measureAttack(stage: Stage, { attack, account }: Strike) {
  const { attacker, session } = stage
  const { seconds } = session.options
  const look = await openLook(stage)
  const own = await orderOf(stage, account, attackerAddress)
  const order = { ...own, flows: [attack.name], drainMs: 0 }
  await attacker.run({ ...order, seconds: attack.needsSpentLimit === true ? spendSeconds : 0 })
  await stage.catchUp()
  stage.quiet.push(await look(seconds))
  const quiet = noticedIn(...stage.quiet)
  const work = async () => {
    const cpuBefore = cpuMicroseconds([attacker.pid])
    const [seen, report] = await Promise.all([look(seconds), attacker.run({ ...order, seconds })])
    const attacker_cores = (cpuMicroseconds([attacker.pid]) - cpuBefore) / 1e6 / seconds
    const answers = { ...report.statuses, ...(report.open === 0 ? {} : { open: report.open }) }
    const recovered_after_s = await recover(async () => noticedIn(await look(seconds)), quiet)
    return { ...noticedIn(seen), recovered_after_s, answers, attacker_cores }
  }
  const { result, samples } = await sampleWhile(work(), sampleMs, stage.readPause)
  await stage.catchUp()
  return { attack: attack.name, quiet, ...result, longest_pause_ms: Math.max(...samples) }
}

/** @returns seconds until the first quiet window began, at most those that were waited */
async function recover(look: () => Promise<Noticed>, quiet: Noticed): Promise<number> {
  const startedAt = performance.now()
  let recoveredMs = recoveryMs.max
  for (let ms = 0; ms < recoveryMs.min || (ms < recoveryMs.max && recoveredMs > ms);) {
    const { ingest, read } = ratiosOf(await look(), quiet)
    if (Math.max(ingest, read) <= recoveredRatio) recoveredMs = Math.min(recoveredMs, ms)
    ms = performance.now() - startedAt
  }
  return recoveredMs / 1000
}
