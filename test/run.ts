/** Implements `npm test`: runs the checks and tests on a temporary stack or on a kept one. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { faultsVariable, gateForm } from './faults/settings.ts'
import { helpText, planOf } from './support/runner/arguments.ts'
import type { Plan } from './support/runner/arguments.ts'
import { fingerprintOf, hasPassedWith, rememberPassed } from './support/runner/changed.ts'
import { runChecks } from './support/runner/checks.ts'
import { buildConsole } from '../stack/build-console.ts'
import { runJest } from './support/runner/jest-round.ts'
import { findKeptStack, startKeptStack, stopKeptStack } from './support/runner/kept-stack.ts'
import { findLeftovers, markVariable } from './support/runner/leftovers.ts'
import { phaseOf } from './support/runner/phases.ts'
import type { PhaseName } from './support/runner/phases.ts'
import { closingLine, hasPassed, slowestOf, tableOf, timed } from './support/runner/tally.ts'
import type { FileTime, PhaseResult } from './support/runner/tally.ts'
import { prepareRun, startTestStack } from './support/runner/test-stack.ts'
import { servicesVariable } from './support/test-services.ts'

type Run = {
  plan: Plan
  folder: string
  signal: AbortSignal
  results: PhaseResult[]
  files: FileTime[]
  /** Fingerprints of the phases that can be skipped, calculated before the run. */
  fingerprints: Map<PhaseName, string>
}

function print(...lines: string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Number of test files to run in parallel: one more than the number of cores, because tests that
 * use services mostly wait.
 */
const workersTogether = availableParallelism() + 1

/**
 * Checks whether only a few faults run. All faults run if the phase is named or `--all` is given.
 */
function isShort(plan: Plan, phases: readonly PhaseName[]): boolean {
  return plan.form === 'gate' && phases.includes('faults')
}

function gateFilesOf(phases: readonly PhaseName[]): readonly string[] {
  return phases.flatMap((name) => phaseOf(name).gateFiles ?? [])
}

function environmentOf(run: Run, phases: PhaseName[], services?: string): NodeJS.ProcessEnv {
  const told = services === undefined ? {} : { [servicesVariable]: services }
  const short = { [faultsVariable]: JSON.stringify(gateForm.settings) }
  return { ...process.env, ...told, ...(isShort(run.plan, phases) ? short : {}) }
}

async function runRound(run: Run, phases: PhaseName[], services?: string): Promise<void> {
  if (phases.length === 0 || run.signal.aborted) return
  const { plan, folder, signal } = run
  const isAlone = phases.every((name) => phaseOf(name).round === 'alone')
  print('', phases.join(' '))
  const round = await runJest({
    ...{ phases, folder, signal },
    filters: [...plan.filters, ...(plan.form === 'gate' ? gateFilesOf(phases) : [])],
    workersMax: isAlone ? 1 : workersTogether,
    environment: environmentOf(run, phases, services)
  })
  run.results.push(...round.phases)
  run.files.push(...round.files)
}

/**
 * Checks whether the run may use a kept stack. The gate and `--all` start a new one, unless
 * `--keep` is given.
 */
function mayShare({ form, stack }: Plan): boolean {
  return form === 'named' || stack === 'keep'
}

/** Opens the kept stack. Returns null if there is none and `--keep` is not given. */
async function shareStack({ plan, folder, signal }: Run): Promise<OpenedStack | null> {
  const kept = findKeptStack() ?? (plan.stack === 'keep' ? await startKeptStack(signal) : null)
  if (kept === null) return null
  print('services: the kept stack (stop it with npm test -- --stop)')
  const { path, end } = await prepareRun(kept, folder)
  return { services: path, close: end }
}

async function startOwnStack({ folder, signal }: Run): Promise<OpenedStack> {
  const stack = await startTestStack({ folder, signal })
  try {
    const { path, end } = await prepareRun(stack, folder)
    // If this run started the database server, its databases need no cleanup, because they are
    // deleted with it.
    const isOurs = stack.mode !== 'external'
    return { services: path, close: () => (isOurs ? stack.stop() : end().finally(stack.stop)) }
  } catch (error) {
    await stack.stop()
    throw error
  }
}

type OpenedStack = { services: string; close(): Promise<void> }

/**
 * Opens the stack. If it does not start, prints the reason, counts a failure and returns undefined.
 */
async function openStack(run: Run): Promise<OpenedStack | undefined> {
  const { plan, signal, results } = run
  print('', 'stack')
  let opened: OpenedStack | undefined
  const started = await timed('stack', async () => {
    try {
      opened = (mayShare(plan) ? await shareStack(run) : null) ?? (await startOwnStack(run))
      return { passed: 0, failed: 0, skipped: 0 }
    } catch (error) {
      if (!signal.aborted) print(sentenceOf(error))
      return { passed: 0, failed: 1, skipped: 0 }
    }
  })
  results.push(started)
  return opened
}

/** Returns the phases to run, and prints the ones that are skipped. */
function chooseTests({ plan, fingerprints }: Run): PhaseName[] {
  const tests = plan.phases.filter((name) => name !== 'check')
  for (const name of tests.filter((each) => phaseOf(each).runs === 'changed')) {
    fingerprints.set(name, fingerprintOf(name))
  }
  if (plan.form !== 'gate') return tests
  const unchanged = [...fingerprints].flatMap(([name, fingerprint]) =>
    hasPassedWith(name, fingerprint) ? [name] : []
  )
  const names = unchanged.join(', ')
  if (unchanged.length > 0) {
    print(`skipped, unchanged since they last passed: ${names} (--all runs them)`)
  }
  return tests.filter((name) => !unchanged.includes(name))
}

async function runPhases(run: Run): Promise<void> {
  const tests = chooseTests(run)
  const checked = run.plan.phases.includes('check') ? runChecks(run.signal) : null
  if (tests.includes('console')) await buildConsole()
  const needStack = tests.filter((name) => phaseOf(name).needsStack)
  const stack = needStack.length > 0 ? await openStack(run) : undefined
  try {
    const able = stack === undefined ? tests.filter((name) => !needStack.includes(name)) : tests
    const isTogether = (name: PhaseName): boolean => phaseOf(name).round === 'together'
    await runRound(run, able.filter(isTogether), stack?.services)
    const alone = able.filter((name) => !isTogether(name))
    await runRound(run, alone, stack?.services)
  } finally {
    if (checked !== null) run.results.unshift(await checked)
    await stack?.close()
  }
}

/**
 * Records the fingerprints. Call this only if the whole run has passed, because a failure of one
 * phase can be caused by another.
 */
function rememberUnchanged({ plan, results, fingerprints }: Run): void {
  if (plan.filters.length > 0) return
  for (const [name, fingerprint] of fingerprints) {
    if (results.some(({ phase, passed }) => phase === name && passed > 0)) {
      rememberPassed(name, fingerprint)
    }
  }
}

/** Counts each process that the run has left behind as a failure. */
async function checkLeftovers(mark: string): Promise<PhaseResult[]> {
  const found = await timed('leftovers', async () => {
    const leftovers = await findLeftovers(mark)
    for (const { pid, command } of leftovers) print(`still running: ${pid} ${command}`)
    return { passed: 0, failed: leftovers.length, skipped: 0 }
  })
  return found.failed === 0 ? [] : [found]
}

async function runPlan(plan: Plan): Promise<number> {
  const startedAt = performance.now()
  const told = new AbortController()
  // The same Ctrl-C can arrive twice, from the terminal and from npm. Only the first signal counts.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => told.abort())
  }
  const mark = randomUUID()
  process.env[markVariable] = mark
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  const { signal } = told
  const run: Run = { plan, folder, signal, results: [], files: [], fingerprints: new Map() }
  try {
    await runPhases(run)
  } catch (error) {
    print(sentenceOf(error))
    run.results.push({ phase: 'run', passed: 0, failed: 1, skipped: 0, elapsedMs: 0 })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  run.results.push(...(await checkLeftovers(mark)))
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
  print('', ...slowestOf(run.files), '', ...tableOf(run.results), '', `took ${minutes} minutes`)
  if (told.signal.aborted) print('The run was canceled. All processes are stopped.')
  print(closingLine(run.results))
  if (!hasPassed(run.results) || signal.aborted) return 1
  rememberUnchanged(run)
  return 0
}

async function main(args: string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(helpText)
    return 0
  }
  const plan = planOf(args)
  if (plan.stack !== 'stop') return await runPlan(plan)
  print((await stopKeptStack()) ? 'The stack has stopped.' : 'No kept stack is running.')
  return 0
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`)
  process.exitCode = 1
}
