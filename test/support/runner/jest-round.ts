/** Runs phases in parallel with one Jest process group, and reads the counts. */
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { runGroup } from './group.ts'
import { phaseOfPath } from './phases.ts'
import type { PhaseName } from './phases.ts'
import type { FileTime, PhaseResult } from './tally.ts'

const timeoutMs = 3_000_000
/** Between its report and its end: whatever keeps jest alive longer was left open by a test. */
const exitMs = 10_000
const lookMs = 500
const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js']

/** What we need of the file that `jest --json` writes. */
export type JestReport = {
  testResults: {
    name: string
    status: string
    startTime: number
    endTime: number
    assertionResults: { status: string }[]
  }[]
}

export type JestRound = {
  phases: readonly PhaseName[]
  /** Prefixes of the paths to run; a phase without a filter runs completely. */
  filters: readonly string[]
  /** Maximum number of test files at a time. */
  workersMax: number
  environment: NodeJS.ProcessEnv
  folder: string
  signal: AbortSignal
}

export type RoundResult = { phases: PhaseResult[]; files: FileTime[] }

/** Returns the path patterns of the tests that Jest runs for a phase. */
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
  // An exit code without a failed test is a failure, too: of jest, or of what stays open.
  if (code !== 0 && results.every(({ failed }) => failed === 0)) {
    process.stdout.write(`${reasonOf(code, { isLate, isLingering: lingering.signal.aborted })}\n`)
    results.push(broken)
  }
  return { phases: results, files: timesOf(report) }
}

/** Aborts its signal when jest has written its report and does not end. */
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
  if (isLate) return `jest did not end within ${timeoutMs / 1000} s`
  if (isLingering) return 'jest did not end: a test left something open'
  return `jest ended with ${code ?? 'a signal'}, though no test failed`
}

/** Returns the paths that name no test file: misspelled, or deleted since. */
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

/** Counts a file that could not run as one failure, and a phase without tests as one, too. */
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
