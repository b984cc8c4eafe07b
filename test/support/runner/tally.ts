/** Counts of a test run: what each phase found, as a table and as the line that machines read. */
import { layOut } from '../../../core/lay-out.ts'

export type PhaseResult = {
  phase: string
  passed: number
  failed: number
  skipped: number
  /** Sum over all files; phases that run in parallel take less wall-clock time. */
  elapsedMs: number
}

export type FileTime = { path: string; elapsedMs: number }

const slowestMax = 10

/** Runs one piece of work as a phase, with its time. */
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
  return layOut([['phase', 'passed', 'failed', 'skipped', 'total file time'], ...rows])
}

export function slowestOf(files: readonly FileTime[]): string[] {
  const slowest = files.toSorted((a, b) => b.elapsedMs - a.elapsedMs).slice(0, slowestMax)
  const rows = slowest.map(({ path, elapsedMs }) => [path, seconds(elapsedMs)])
  return layOut([['slowest files', 'time'], ...rows])
}

/** "12 passed, 0 failed", with the skipped when there are any. */
export function closingLine(results: readonly PhaseResult[]): string {
  const skipped = total(results, 'skipped')
  const counts = `${total(results, 'passed')} passed, ${total(results, 'failed')} failed`
  return skipped === 0 ? counts : `${counts}, ${skipped} skipped`
}

function total(results: readonly PhaseResult[], of: 'passed' | 'failed' | 'skipped'): number {
  return results.reduce((sum, result) => sum + result[of], 0)
}

/** A run that has proved nothing has not passed. */
export function hasPassed(results: readonly PhaseResult[]): boolean {
  return total(results, 'failed') === 0 && total(results, 'passed') > 0
}
