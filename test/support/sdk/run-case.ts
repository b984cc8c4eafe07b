/** Runs a conformance case with one SDK and returns the differences from its expectations. */
import { setTimeout as pause } from 'node:timers/promises'
import { waitUntil } from '../wait-until.ts'
import type { CaseRun } from './case-run.ts'
import type { ConformanceCase, Members, Step } from './conformance-case.ts'
import { startDriver } from './driver.ts'
import type { Reply, Sdk } from './driver.ts'
import { findFaults } from './expectations.ts'
import { differencesOf } from './match.ts'
import { startScriptedServer } from './scripted-server.ts'
import type { ScriptedServer } from './scripted-server.ts'
import { apiKey, findInvariantFaults, identityFaultsOf } from './invariants.ts'

/**
 * Default client options. Retries and the circuit breaker are fast to save time; no expectation
 * depends on these defaults.
 */
const caseOptions = {
  batch_interval_ms: 600_000,
  retry_base_ms: 5,
  retry_cap_ms: 50,
  breaker_ms: 100,
  timeout_ms: 5000
}
const waitMs = 30_000
const exitMs = 25_000

/** Returns the differences; empty if the SDK passes. */
export async function runCase(sdk: Sdk, conformanceCase: ConformanceCase): Promise<string[]> {
  const server = await startScriptedServer(conformanceCase.server ?? {})
  const driver = startDriver(sdk, environmentOf(conformanceCase, server))
  const run: CaseRun = {
    ...{ sdk, case: conformanceCase, server, driver },
    ...{ ids: [], faults: [], stats: null, exit: null, isGone: false, isUnanswered: false }
  }
  try {
    for (const [index, step] of conformanceCase.steps.entries()) await takeStep(run, step, index)
    if (!run.isGone) await end(run)
    return [...run.faults, ...findFaults(run), ...findInvariantFaults(run)]
  } catch (error) {
    return [...run.faults, String(error)]
  } finally {
    await driver.kill()
    await server.shut()
  }
}

/** Replaces the placeholders `{server}` and `{key}` with the server's URL and the API key. */
function fill<T>(value: T, server: ScriptedServer): T {
  const text = JSON.stringify(value)
  return JSON.parse(text.replaceAll('{server}', server.url).replaceAll('{key}', apiKey)) as T
}

function environmentOf({ environment = {} }: ConformanceCase, server: ScriptedServer) {
  return fill(environment, server)
}

async function takeStep(run: CaseRun, step: Step, index: number): Promise<void> {
  const reply = await answerOf(run, step)
  const path = `step ${index + 1} (${step.do})`
  run.faults.push(...differencesOf(step.expect ?? {}, reply, { path }))
}

type Take = (run: CaseRun, step: Step) => Promise<Reply>

/** Steps that the runner handles. All other steps are sent to the driver. */
const takes: Readonly<Record<string, Take>> = {
  init,
  log,
  log_together: log,
  observe,
  stats: askStats,
  callbacks: askCallbacks,
  server: changeServer,
  wait,
  suspend: async ({ driver }, { ms }) => {
    await driver.suspend(Number(ms))
    return {}
  },
  end: async (run, { how }) => await end(run, how)
}

async function answerOf(run: CaseRun, step: Step): Promise<Reply> {
  const { unanswered, ...command } = step
  if (unanswered === true) {
    run.driver.send(command)
    run.isUnanswered = true
    return {}
  }
  const take = takes[step.do]
  return take === undefined ? await run.driver.ask(command) : await take(run, command)
}

async function log(run: CaseRun, step: Step): Promise<Reply> {
  const reply = await run.driver.ask(step)
  run.ids.push(...(reply['ids'] as string[]))
  return reply
}

async function observe(run: CaseRun, step: Step): Promise<Reply> {
  // Wrappers create decision ids that the runner does not know.
  run.isUnanswered = true
  return await run.driver.ask(step)
}

/** Creates a client. A null option is not passed. */
async function init(run: CaseRun, step: Step): Promise<Reply> {
  const own = { ...run.case.options, ...(step['options'] as Members | undefined) }
  const all = { api_key: '{key}', base_url: '{server}', ...caseOptions, ...own }
  const given = Object.entries(all).filter(([, value]) => value !== null)
  const options = fill(Object.fromEntries(given), run.server)
  return await run.driver.ask({ ...step, options })
}

async function askStats(run: CaseRun): Promise<Reply> {
  const stats = await run.driver.ask({ do: 'stats' })
  run.faults.push(...identityFaultsOf(stats))
  run.stats = stats
  return stats
}

interface Heard {
  readonly errors: readonly Members[]
  readonly drops: readonly { readonly reason: string; readonly count: number }[]
}

async function askCallbacks(run: CaseRun, { lacks, drops_sum }: Step): Promise<Reply> {
  const reply = await run.driver.ask({ do: 'callbacks' })
  const { drops } = reply as unknown as Heard
  const sums: Record<string, number> = {}
  for (const { reason, count } of drops) sums[reason] = (sums[reason] ?? 0) + count
  if (drops_sum !== undefined) {
    run.faults.push(...differencesOf(drops_sum, sums, { path: 'drops', strictness: 'exact' }))
  }
  if (typeof lacks === 'string' && JSON.stringify(reply).includes(lacks)) {
    run.faults.push(`a callback got ${lacks}`)
  }
  return reply
}

async function changeServer({ server }: CaseRun, step: Step): Promise<Reply> {
  if (step.behave !== undefined) server.behave(step.behave)
  if (step.listening === true) await server.listen()
  if (step.listening === false) await server.shut()
  return {}
}

async function wait(run: CaseRun, { until = {}, ms }: Step): Promise<Reply> {
  if (typeof ms === 'number') await pause(ms)
  const { requests = 0, held = 0, pending } = until
  const isThere = async (): Promise<boolean> => {
    if (run.server.requests.length < requests || run.server.held.size < held) return false
    return pending === undefined || Number((await askStats(run))['pending']) <= pending
  }
  await waitUntil(`that ${JSON.stringify(until)}`, isThere, waitMs)
  return { requests: run.server.requests.length, held: run.server.held.size }
}

/** Ends the run. By default, the client is closed and the driver exits on its own. */
async function end(run: CaseRun, how?: string): Promise<Reply> {
  if (how === undefined) {
    await run.driver.ask({ do: 'close' })
    await askStats(run)
  }
  const exit = await run.driver.end(how ?? 'return')
  Object.assign(run, { exit, isGone: true })
  if (exit.elapsedMs > exitMs) run.faults.push(`the process exited after ${exit.elapsedMs} ms`)
  if (how === undefined && exit.code !== 0) {
    run.faults.push(`exited with ${exit.code ?? exit.signal}: ${run.driver.stderr()}`)
  }
  return { code: exit.code, signal: exit.signal, elapsed_ms: exit.elapsedMs }
}
