/** Runs one project of jest in a process group of its own and reads what it counted. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runGroup } from './group.ts'
import { timed } from './tally.ts'
import type { PhaseResult } from './tally.ts'

const timeoutMs = 1_800_000
/** Between its report and its end: whatever keeps jest alive longer was left open by a test. */
const exitMs = 10_000
const lookMs = 500
const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js']

/** What we need of the file that `jest --json` writes. */
export type JestReport = {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: { status: string; assertionResults: { status: string }[] }[]
}

export type JestPhase = {
  project: string
  /** Paths begin with one of these; empty means all. */
  filters: readonly string[]
  /** Test files at a time; tests that freeze what others use run alone. */
  workersMax: number
  environment: NodeJS.ProcessEnv
  folder: string
  signal: AbortSignal
}

type Counts = Pick<PhaseResult, 'passed' | 'failed' | 'skipped'>

export async function runJest(phase: JestPhase): Promise<PhaseResult> {
  return await timed(phase.project, () => runProject(phase))
}

async function runProject(phase: JestPhase): Promise<Counts> {
  const { project, filters, environment, signal } = phase
  const outputFile = join(phase.folder, `${project}.json`)
  const options = ['--selectProjects', project, '--json', '--outputFile', outputFile]
  const workers = ['--maxWorkers', String(phase.workersMax)]
  const args = [...jest, ...options, ...workers, ...filters.map((filter) => `/${filter}`)]
  const lingering = watchForLingering(outputFile)
  const { code, isLate } = await runGroup({
    command: process.execPath,
    args,
    environment,
    signal: AbortSignal.any([signal, lingering.signal]),
    timeoutMs
  })
  lingering.clear()
  if (isLate) process.stdout.write(`${project} did not end within ${timeoutMs / 1000} s\n`)
  const counts = countsOf(readReport(outputFile))
  // An exit code without a failed test is a failure all the same: of jest, or of what stays open.
  return code === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 }
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

function readReport(path: string): JestReport | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as JestReport
  } catch {
    return null
  }
}

/** A file that could not be run counts as one failure, and a project without a test as well. */
export function countsOf(report: JestReport | null): Counts {
  if (report === null) return { passed: 0, failed: 1, skipped: 0 }
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed')
  ).length
  const passed = report.numPassedTests
  const failed = report.numFailedTests + broken
  const skipped = report.numPendingTests + report.numTodoTests
  return { passed, failed: passed + failed === 0 ? 1 : failed, skipped }
}
