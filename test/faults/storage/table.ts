/** Formats storage results as the tables of docs/explanation/faults-storage.md. */
import { printTable, secondsOf } from '../print-table.ts'
import type { Column } from '../print-table.ts'
import type { FolderReport } from './check-folder.ts'
import type { StorageReport } from './check-storage.ts'
import type { StorageRun } from './run-storage-fault.ts'

export interface StorageResult extends Omit<StorageRun, 'installation'> {
  readonly title: string
  readonly done: string
  readonly report: StorageReport
}

const found: readonly Column<StorageResult>[] = [
  ['fault', ({ title }) => title],
  ['what was done', ({ done }) => done],
  ['faults', ({ faults }) => String(faults)],
  ['events', ({ report }) => String(report.attempts)],
  ['acknowledged', ({ report }) => String(report.acknowledged)],
  ['missing from the topic', ({ report }) => countOf(report.missingFromTopic)],
  ['missing from the tables', ({ report }) => countOf(report.missingFromTable)],
  ['duplicate rows', ({ report }) => countOf(report.duplicateRows)],
  ['rejected but stored', ({ report }) => countOf(report.rejectedButStored)],
  ['changed', ({ report }) => countOf(report.changed)],
  ['offsets back', ({ report }) => countOf(report.offsetsBack)],
  ['longest pause', ({ longestPauseSeconds }) => secondsOf(longestPauseSeconds)],
  ['recovery to next row', ({ nextSeconds }) => secondsOf(nextSeconds)],
  ['recovery to caught up', ({ recoverySeconds }) => secondsOf(recoverySeconds)]
]

const settled: readonly Column<StorageResult>[] = [
  ['fault', ({ title }) => title],
  ['rows', ({ report }) => String(report.rows)],
  ['records beyond the first', ({ report }) => String(report.repetitions)],
  ['poison', ({ report }) => String(report.poison)],
  ['id conflicts', ({ report }) => String(report.conflicts)],
  ['dead-letter records', ({ report }) => String(report.deadLetterOrigins)],
  ['unexpected or missing', ({ report }) => wrongDeadLetters(report)],
  ['written twice', ({ report }) => String(report.deadLetterCopies)],
  ['processes restarted', ({ exitLogs }) => countOf(exitLogs)]
]

/** Returns two Markdown tables: violations and record counts. */
export function storageTablesOf(results: readonly StorageResult[]): string {
  return `${printTable(found, results)}\n\n${printTable(settled, results)}`
}

const checked: readonly Column<FolderReport>[] = [
  ['fault', ({ fault }) => fault],
  ['events', ({ report }) => String(report.attempts)],
  ['acknowledged', ({ report }) => String(report.acknowledged)],
  ['rows', ({ report }) => String(report.rows)],
  ['dead-letter records', ({ report }) => String(report.deadLetterOrigins)],
  ['broken', ({ broken }) => brokenIn(broken)]
]

/** Returns the table that `--check` prints. */
export function reportTableOf(reports: readonly FolderReport[]): string {
  return printTable(checked, reports)
}

function countOf(list: readonly string[]): string {
  return String(list.length)
}

function wrongDeadLetters({
  deadLettersUnexpected,
  deadLettersMissing,
  deadLettersChanged
}: StorageReport): string {
  return countOf([...deadLettersUnexpected, ...deadLettersMissing, ...deadLettersChanged])
}

function brokenIn(broken: FolderReport['broken']): string {
  const parts = Object.entries(broken).map(([promise, list]) => `${promise}: ${list.length}`)
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}
