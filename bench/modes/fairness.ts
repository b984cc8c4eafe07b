/** `--fairness`: measures how attacks by one organization affect another one. */
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
  impactIn,
  ratiosOf,
  textOf
} from '../report/fairness-row.ts'
import type { FairnessRow, Impact } from '../report/fairness-row.ts'
import type { BenchResult } from '../report/bench-result.ts'
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
/** Maximum time in milliseconds to wait for outstanding responses when the load ends. */
const drainMs = 20_000
const agentsSeconds = 60
/**
 * Time in seconds for an attacker to use up its rate limit. The 20 batches take about 2 s, which
 * leaves a margin of 3 s.
 */
const spendSeconds = 5
/**
 * Minimum and maximum time to observe the recovery. The gateway reports the longest pause of the
 * last ten seconds, so its reports no longer include the attack when the minimum has passed.
 */
const recoveryMs = { min: 20_000, max: 60_000 }
/** Maximum ratio of p99 to quiet p99 at which the innocent organization counts as recovered. */
const recoveredRatio = 2
/**
 * Maximum number of measurements per attack. Another program can disturb one measurement, but the
 * effect of an attack appears in all of them.
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
  /**
   * Reports of all quiet windows so far. They are combined, because the p99 of a single window is
   * only its third-slowest read and therefore unstable.
   */
  readonly quiet: FlowReport[]
  /** Resolves when all decisions are stored and evaluated. */
  readonly catchUp: () => Promise<void>
}

interface Figures {
  readonly seconds: number
  readonly rows: readonly FairnessRow[]
  /** Measurements that missed a goal and were repeated. */
  readonly missed: readonly FairnessRow[]
}

export async function runFairness(session: Session): Promise<BenchResult> {
  const { options, say } = session
  const stage = await openStage(session)
  const selected = attacks.filter(({ name }) => options.only.includes(name))
  const accounts: (readonly [Flow, Account])[] = []
  // Each attack has its own organization, because an attack can use up a rate limit.
  for (const attack of selected) {
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

/** Creates an attacker's organization and, if the attack needs them, its decisions. */
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
  throw new Error(`Sending the decisions of ${name} failed: ${textOf(statuses)}.`)
}

/** Creates an order with a new access token, because tokens expire after 15 minutes. */
async function orderOf({ url }: Stage, { login, apiKey }: Account, localAddress: string) {
  return { origin: url, localAddress, key: apiKey, session: await logIn(url, login) }
}

/**
 * Creates a function that sends the innocent organization's requests for a given number of seconds
 * and reports the responses.
 */
async function openLook(stage: Stage): Promise<(seconds: number) => Promise<FlowReport>> {
  const account = { login: benchLogin, apiKey: stage.session.bench.apiKey }
  const order = await orderOf(stage, account, innocentAddress)
  const flows = innocentFlows.map(({ name }) => name)
  return (seconds) => stage.innocent.run({ ...order, flows, seconds, drainMs })
}

/** Measures without an attack, after a warm-up window and `vacuum analyze`. */
async function measureQuiet(stage: Stage): Promise<FairnessRow> {
  const { bench, options } = stage.session
  const { seconds } = options
  const look = await openLook(stage)
  await look(seconds)
  await stage.catchUp()
  // Vacuums now, because autovacuum would otherwise start within a minute, during a measurement.
  await openPostgres(bench, { statementTimeoutMs }).query('vacuum analyze')
  // The window is as long as an attack, so that the p99 is not just the slowest response.
  const { result: report, samples } = await sampleWhile(look(seconds), sampleMs, stage.readPause)
  stage.quiet.push(report)
  const result = impactIn(report)
  const nothing = { recovered_after_s: 0, answers: {}, attacker_cores: 0 }
  const longest_pause_ms = Math.max(...samples)
  return { attack: 'quiet', quiet: result, ...result, ...nothing, longest_pause_ms }
}

interface Strike {
  readonly attack: Flow
  readonly account: Account
}

/**
 * Measures an attack until it meets all goals or `measurementsMax` is reached.
 * @returns all measurements; all but the last missed a goal
 */
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
  const quiet = impactIn(...stage.quiet)
  const work = async () => {
    const cpuBefore = cpuMicroseconds([attacker.pid])
    const [seen, report] = await Promise.all([look(seconds), attacker.run({ ...order, seconds })])
    const attacker_cores = (cpuMicroseconds([attacker.pid]) - cpuBefore) / 1e6 / seconds
    const answers = { ...report.statuses, ...(report.open === 0 ? {} : { open: report.open }) }
    const recovered_after_s = await recover(async () => impactIn(await look(seconds)), quiet)
    return { ...impactIn(seen), recovered_after_s, answers, attacker_cores }
  }
  const { result, samples } = await sampleWhile(work(), sampleMs, stage.readPause)
  await stage.catchUp()
  return { attack: attack.name, quiet, ...result, longest_pause_ms: Math.max(...samples) }
}

/**
 * Measures until the innocent organization has recovered, but for at least `recoveryMs.min`.
 * @returns the seconds until the start of the first window within `recoveredRatio`, or
 * `recoveryMs.max` in seconds if no window is within it
 */
async function recover(look: () => Promise<Impact>, quiet: Impact): Promise<number> {
  const startedAt = performance.now()
  let recoveredMs = recoveryMs.max
  for (let ms = 0; ms < recoveryMs.min || (ms < recoveryMs.max && recoveredMs > ms);) {
    const { ingest, read } = ratiosOf(await look(), quiet)
    if (Math.max(ingest, read) <= recoveredRatio) recoveredMs = Math.min(recoveredMs, ms)
    ms = performance.now() - startedAt
  }
  return recoveredMs / 1000
}
