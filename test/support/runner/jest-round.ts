/** Runs phases in one jest process and counts their results. */
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { runGroup } from './group.ts'
import { phaseOfPath } from './phases.ts'
import type { PhaseName } from './phases.ts'
import type { FileTime, PhaseResult } from './tally.ts'

const timeoutMs = 3_000_000
/**
 * Maximum time for which jest may run after its report. Leaked handles would keep it alive longer.
 */
const exitMs = 10_000
const lookMs = 500
const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js']

/** Subset of the report that `jest --json` writes. */
export type JestReport = {
  testResults: {
    name: string
    status: string
    startTime: number
    endTime: number
    assertionResults: { status: string }[]
  }[]
}

type JestRound = {
  phases: readonly PhaseName[]
  /** Path prefixes of the tests to run. A phase without a filter runs completely. */
  filters: readonly string[]
  /** Maximum number of test files that run in parallel. */
  workersMax: number
  environment: NodeJS.ProcessEnv
  folder: string
  signal: AbortSignal
}

type RoundResult = { phases: PhaseResult[]; files: FileTime[] }

/** Returns the path patterns that select the tests of a phase. */
export function patternsOf(phase: PhaseName, filters: readonly string[]): string[] {
  const own = filters.filter((filter) => phaseOfPath(filter) === phase)
  if (own.length > 0) return own.map((filter) => `/${filter}`)
  return phase === 'unit' ? ['/test/unit/', '/test/[^/]+[.]test[.]ts$'] : [`/test/${phase}/`]
}

export async function runJest(round: JestRound): Promise<RoundResult> {
  const { phases, filters, environment, signal } = round
  const outputFile = join(round.folder, `${phases.join('-')}.json`)
  const patterns = phases.flatMap((phase) => patternsOf(phase, filters))
  const options = ['--json', '--outputFile', outputFile, '--maxWorkers', String(round.workersMax)]
  const args = [...jest, ...options, '--selectProjects', ...phases, '--', ...patterns]
  const lingering = watchForLingering(outputFile)
  const { code, isLate } = await runGroup({
    command: process.execPath,
    args,
    environment,
    signal: AbortSignal.any([signal, lingering.signal]),
    timeoutMs
  })
  lingering.clear()
  const report = readReport(outputFile)
  const results = phases.map((phase) => countsOf(phase, report))
  const own = filters.filter((filter) => phases.includes(phaseOfPath(filter)))
  for (const filter of unmatched(own, report)) {
    process.stdout.write(`no test file begins with ${filter}\n`)
    results.push(broken)
  }
  // If no test failed, a non-zero exit code means that jest itself failed or that a test leaked.
  if (code !== 0 && results.every(({ failed }) => failed === 0)) {
    process.stdout.write(`${reasonOf(code, { isLate, isLingering: lingering.signal.aborted })}\n`)
    results.push(broken)
  }
  return { phases: results, files: timesOf(report) }
}

/** Returns a signal that is aborted if jest has written its report but does not exit in time. */
function watchForLingering(outputFile: string): { signal: AbortSignal; clear(): void } {
  const lingering = new AbortController()
  let exit: NodeJS.Timeout | undefined
  const look = setInterval(() => {
    if (exit !== undefined || !existsSync(outputFile)) return
    exit = setTimeout(() => lingering.abort(), exitMs)
  }, lookMs)
  return {
    signal: lingering.signal,
    clear: () => {
      clearInterval(look)
      clearTimeout(exit)
    }
  }
}

const broken: PhaseResult = { phase: 'jest', passed: 0, failed: 1, skipped: 0, elapsedMs: 0 }

type End = { isLate: boolean; isLingering: boolean }

function reasonOf(code: number | null, { isLate, isLingering }: End): string {
  if (isLate) return `jest did not finish within ${timeoutMs / 1000} s`
  if (isLingering) return 'jest did not exit: a test leaked a handle'
  return `jest exited with ${code ?? 'a signal'}, although no test failed`
}

/** Returns the filters that match no test file. */
export function unmatched(filters: readonly string[], report: JestReport): string[] {
  const paths = report.testResults.map(pathOf)
  return filters.filter((filter) => !paths.some((path) => path.startsWith(filter)))
}

function readReport(path: string): JestReport {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as JestReport
  } catch {
    return { testResults: [] }
  }
}

function pathOf({ name }: { name: string }): string {
  return relative(process.cwd(), name)
}

function timesOf({ testResults }: JestReport): FileTime[] {
  return testResults.map((file) => ({
    path: pathOf(file),
    elapsedMs: Math.max(0, file.endTime - file.startTime)
  }))
}

/**
 * Counts the results of a phase. A file that could not run and a phase without tests count as one
 * failure each.
 */
export function countsOf(phase: PhaseName, report: JestReport): PhaseResult {
  const files = report.testResults.filter((file) => phaseOfPath(pathOf(file)) === phase)
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const { status, assertionResults } of files) {
    const failed = assertionResults.filter((test) => test.status === 'failed').length
    const passed = assertionResults.filter((test) => test.status === 'passed').length
    counts.passed += passed
    counts.failed += failed === 0 && status === 'failed' ? 1 : failed
    counts.skipped += assertionResults.length - passed - failed
  }
  if (counts.passed + counts.failed === 0) counts.failed = 1
  const elapsedMs = timesOf({ testResults: files }).reduce((sum, file) => sum + file.elapsedMs, 0)
  return { phase, ...counts, elapsedMs }
}
