/** Counts the results of a test run, and formats them as a table with a closing line. */
import { formatTable } from '../../../core/format-table.ts'

export type PhaseResult = {
  phase: string
  passed: number
  failed: number
  skipped: number
  /**
   * Sum of the durations of all files, in milliseconds. It exceeds the wall-clock time if files run
   * in parallel.
   */
  elapsedMs: number
}

export type FileTime = { path: string; elapsedMs: number }

const slowestMax = 10

/** Runs `work` as a phase and measures its duration. */
export async function timed(
  phase: string,
  work: () => Promise<Pick<PhaseResult, 'passed' | 'failed' | 'skipped'>>
): Promise<PhaseResult> {
  const startedAt = performance.now()
  const counts = await work()
  return { phase, ...counts, elapsedMs: performance.now() - startedAt }
}

function seconds(elapsedMs: number): string {
  return `${(elapsedMs / 1000).toFixed(1)} s`
}

export function tableOf(results: readonly PhaseResult[]): string[] {
  const rows = results.map(({ phase, passed, failed, skipped, elapsedMs }) => [
    phase,
    ...[passed, failed, skipped].map(String),
    seconds(elapsedMs)
  ])
  return formatTable([['phase', 'passed', 'failed', 'skipped', 'total file time'], ...rows])
}

export function slowestOf(files: readonly FileTime[]): string[] {
  const slowest = files.toSorted((a, b) => b.elapsedMs - a.elapsedMs).slice(0, slowestMax)
  const rows = slowest.map(({ path, elapsedMs }) => [path, seconds(elapsedMs)])
  return formatTable([['slowest files', 'time'], ...rows])
}

/** Formats the totals, for example "12 passed, 0 failed, 3 skipped". */
export function closingLine(results: readonly PhaseResult[]): string {
  const skipped = total(results, 'skipped')
  const counts = `${total(results, 'passed')} passed, ${total(results, 'failed')} failed`
  return skipped === 0 ? counts : `${counts}, ${skipped} skipped`
}

function total(results: readonly PhaseResult[], of: 'passed' | 'failed' | 'skipped'): number {
  return results.reduce((sum, result) => sum + result[of], 0)
}

/** Checks whether the run has passed, which requires at least one passed test. */
export function hasPassed(results: readonly PhaseResult[]): boolean {
  return total(results, 'failed') === 0 && total(results, 'passed') > 0
}
