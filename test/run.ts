/** `npm test`: the checks, then every test, on a stack of its own that is gone afterwards. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filtersOf, helpText, needsStack, planOf } from './support/runner/arguments.ts'
import type { PhaseName, Plan } from './support/runner/arguments.ts'
import { runChecks } from './support/runner/checks.ts'
import { runJest } from './support/runner/jest-phase.ts'
import { findLeftovers, markVariable } from './support/runner/leftovers.ts'
import { closingLine, hasPassed, tableOf, timed } from './support/runner/tally.ts'
import type { PhaseResult } from './support/runner/tally.ts'
import { startTestStack } from './support/runner/test-stack.ts'
import type { TestStack } from './support/runner/test-stack.ts'
import { servicesVariable } from './support/test-services.ts'

/** Other phases freeze what others would be using, or measure, so their files run one by one. */
const workersMax: Partial<Record<JestPhaseName, number>> = { unit: 2, integration: 2 }

type JestPhaseName = Exclude<PhaseName, 'check'>
type Run = { plan: Plan; folder: string; signal: AbortSignal; results: PhaseResult[] }

function print(...lines: string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function runJestPhase(run: Run, project: JestPhaseName, stack?: TestStack): Promise<void> {
  const { plan, folder, signal, results } = run
  const told = stack === undefined ? {} : { [servicesVariable]: stack.path }
  const environment = { ...process.env, ...told }
  const filters = filtersOf(plan, project)
  print('', project)
  results.push(
    await runJest({
      project,
      filters,
      workersMax: workersMax[project] ?? 1,
      environment,
      folder,
      signal
    })
  )
}

/** Counts only when it fails: a stack that cannot start fails the run in one clear sentence. */
async function withStack(run: Run, work: (stack: TestStack) => Promise<void>): Promise<void> {
  let stack: TestStack | undefined
  print('', 'stack')
  const started = await timed('stack', async () => {
    try {
      stack = await startTestStack(run)
      return { passed: 0, failed: 0, skipped: 0 }
    } catch (error) {
      if (!run.signal.aborted) print(sentenceOf(error))
      return { passed: 0, failed: 1, skipped: 0 }
    }
  })
  run.results.push(started)
  if (stack === undefined) return
  try {
    await work(stack)
  } finally {
    await stack.stop()
  }
}

async function runPhases(run: Run): Promise<void> {
  const { phases } = run.plan
  const needStack = phases.filter(needsStack)
  if (phases.includes('check')) {
    print('check')
    run.results.push(await runChecks(run.signal))
  }
  for (const phase of phases) {
    if (phase === 'check' || needsStack(phase) || run.signal.aborted) continue
    await runJestPhase(run, phase)
  }
  if (needStack.length === 0 || run.signal.aborted) return
  await withStack(run, async (stack) => {
    for (const phase of needStack) {
      if (!run.signal.aborted) await runJestPhase(run, phase, stack)
    }
  })
}

/** What is left behind counts as a failure, with its name. */
async function checkLeftovers(mark: string): Promise<PhaseResult[]> {
  const found = await timed('leftovers', async () => {
    const leftovers = await findLeftovers(mark)
    for (const { pid, command } of leftovers) print(`left behind: ${pid} ${command}`)
    return { passed: 0, failed: leftovers.length, skipped: 0 }
  })
  return found.failed === 0 ? [] : [found]
}

async function runPlan(plan: Plan): Promise<number> {
  const told = new AbortController()
  // A terminal and npm may both pass the same Ctrl-C on: every one after the first is the same.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => told.abort())
  }
  const mark = randomUUID()
  process.env[markVariable] = mark
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  const results: PhaseResult[] = []
  try {
    await runPhases({ plan, folder, signal: told.signal, results })
  } catch (error) {
    print(sentenceOf(error))
    results.push({ phase: 'run', passed: 0, failed: 1, skipped: 0, elapsedMs: 0 })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  results.push(...(await checkLeftovers(mark)))
  print('', ...tableOf(results), '')
  if (told.signal.aborted) print('The run was given up; everything is stopped.')
  print(closingLine(results))
  return hasPassed(results) && !told.signal.aborted ? 0 : 1
}

async function main(args: string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(helpText)
    return 0
  }
  return await runPlan(planOf(args))
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`)
  process.exitCode = 1
}
