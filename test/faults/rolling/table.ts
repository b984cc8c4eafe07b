/** Formats rolling restart results as the tables of docs/explanation/faults-gateway.md. */
import { printTable, secondsOf } from '../print-table.ts'
import type { Column } from '../print-table.ts'
import type { RollingResult } from './run-rolling-fault.ts'

const what: Column<RollingResult> = ['restart', ({ title }) => title]

const found: readonly Column<RollingResult>[] = [
  what,
  ['what was done', ({ done }) => done],
  ['requests', ({ requests }) => String(requests)],
  ['failed', ({ failed }) => String(failed)],
  ['decisions', ({ decisions }) => String(decisions)],
  ['acknowledged', ({ acknowledged }) => String(acknowledged)],
  ['lost', ({ missing, notStored }) => String(new Set([...missing, ...notStored]).size)],
  ['stored twice', ({ storedTwice }) => String(storedTwice)],
  [
    'never sent',
    ({ neverSent, rowsNeverSent }) => String(new Set([...neverSent, ...rowsNeverSent]).size)
  ],
  ['left unknown, of these written', unknownOf],
  ['slowest response', ({ slowestSeconds }) => secondsOf(slowestSeconds)],
  ['longest shutdown', ({ longestStopSeconds }) => secondsOf(longestStopSeconds)]
]

const read: readonly Column<RollingResult>[] = [
  what,
  ['lists read', ({ lists }) => String(lists)],
  ['failed', ({ listFailures }) => String(listFailures.length)],
  ['tail connections', ({ tails }) => String(tails)],
  ['decisions shown', ({ shown }) => String(shown)],
  ['not shown', ({ notShown }) => String(notShown.length)],
  ['shown again', ({ shownAgain }) => String(shownAgain)]
]

/** Returns two Markdown tables: decisions, and what the readers observed. */
export function rollingTablesOf(results: readonly RollingResult[]): string {
  return `${printTable(found, results)}\n\n${printTable(read, results)}`
}

function unknownOf({ leftUnknown, leftUnknownWritten }: RollingResult): string {
  return leftUnknown === 0 ? '–' : `${leftUnknown}, ${leftUnknownWritten}`
}
