/** What the faults of storage led to, as tables for a page. */
import { printTable, secondsOf } from '../print-table.ts'
import type { Column } from '../print-table.ts'
import type { Judgement } from './judge-run.ts'
import type { Verdict } from './judge.ts'
import type { StorageRun } from './run-storage-fault.ts'

export interface StorageResult extends Omit<StorageRun, 'installation'> {
  readonly title: string
  readonly done: string
  readonly verdict: Verdict
}

const found: readonly Column<StorageResult>[] = [
  ['fault', ({ title }) => title],
  ['what was done', ({ done }) => done],
  ['faults', ({ faults }) => String(faults)],
  ['events', ({ verdict }) => String(verdict.attempts)],
  ['acknowledged', ({ verdict }) => String(verdict.acknowledged)],
  ['missing from the topic', ({ verdict }) => countOf(verdict.missingFromTopic)],
  ['missing from the tables', ({ verdict }) => countOf(verdict.missingFromTable)],
  ['duplicate rows', ({ verdict }) => countOf(verdict.duplicateRows)],
  ['refused but stored', ({ verdict }) => countOf(verdict.refusedButStored)],
  ['changed', ({ verdict }) => countOf(verdict.changed)],
  ['offsets back', ({ verdict }) => countOf(verdict.offsetsBack)],
  ['longest pause', ({ longestPauseSeconds }) => secondsOf(longestPauseSeconds)],
  ['mended to next row', ({ nextSeconds }) => secondsOf(nextSeconds)],
  ['mended to all caught up', ({ recoverySeconds }) => secondsOf(recoverySeconds)]
]

const settled: readonly Column<StorageResult>[] = [
  ['fault', ({ title }) => title],
  ['rows', ({ verdict }) => String(verdict.rows)],
  ['records beyond the first', ({ verdict }) => String(verdict.repetitions)],
  ['poison', ({ verdict }) => String(verdict.poison)],
  ['taken ids', ({ verdict }) => String(verdict.conflicts)],
  ['dead letters', ({ verdict }) => String(verdict.deadLetters)],
  ['without cause, or missing', ({ verdict }) => lettersAmiss(verdict)],
  ['sent twice', ({ verdict }) => String(verdict.letterCopies)],
  ['processes started again', ({ lastWords }) => countOf(lastWords)]
]

/** Two tables in Markdown: what was found, and how it was settled. */
export function storageTablesOf(results: readonly StorageResult[]): string {
  return `${printTable(found, results)}\n\n${printTable(settled, results)}`
}

const judged: readonly Column<Judgement>[] = [
  ['fault', ({ fault }) => fault],
  ['events', ({ verdict }) => String(verdict.attempts)],
  ['acknowledged', ({ verdict }) => String(verdict.acknowledged)],
  ['rows', ({ verdict }) => String(verdict.rows)],
  ['dead letters', ({ verdict }) => String(verdict.deadLetters)],
  ['broken', ({ broken }) => brokenIn(broken)]
]

/** What judging again has found. */
export function judgementTableOf(judgements: readonly Judgement[]): string {
  return printTable(judged, judgements)
}

function countOf(list: readonly string[]): string {
  return String(list.length)
}

function lettersAmiss({ lettersUnfounded, lettersMissing, lettersChanged }: Verdict): string {
  return countOf([...lettersUnfounded, ...lettersMissing, ...lettersChanged])
}

function brokenIn(broken: Judgement['broken']): string {
  const parts = Object.entries(broken).map(([promise, list]) => `${promise}: ${list.length}`)
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}
