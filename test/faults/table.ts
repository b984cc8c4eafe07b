/** What the faults led to, as tables for a page. */
import { printTable, secondsOf } from './print-table.ts'
import type { Column } from './print-table.ts'
import type { FaultResult } from './run-fault.ts'

type Counts = Readonly<Record<string, number>>

const fault: Column<FaultResult> = ['fault', (result) => result.fault]

const found: readonly Column<FaultResult>[] = [
  fault,
  ['what was done', ({ done }) => done],
  ['decisions', ({ decisions }) => String(decisions)],
  ['attempts', ({ attempts }) => String(attempts)],
  ['acknowledged', ({ acknowledged }) => String(acknowledged)],
  ['acknowledged and missing', ({ missing }) => String(missing.length)],
  ['refused but written', ({ refusedButWritten }) => String(refusedButWritten.length)],
  ['duplicates', ({ duplicates }) => String(duplicates)],
  ['500s', ({ serverErrors }) => String(serverErrors)],
  ['longest time without a 202', ({ longestPauseSeconds }) => secondsOf(longestPauseSeconds)],
  ['healed to next 202', ({ recoverySeconds }) => secondsOf(recoverySeconds)]
]

const told: readonly Column<FaultResult>[] = [
  fault,
  ['requests by status', ({ answers }) => listOf(answers)],
  ['attempts refused', ({ refused }) => listOf(refused)],
  ['attempts unknown', ({ unknown }) => listOf(unknown)],
  ['decisions left unknown, of these written', leftOf]
]

/** Two tables in Markdown, with a row for each fault: what was found, what callers were told. */
export function tablesOf(results: readonly FaultResult[]): string {
  return `${printTable(found, results)}\n\n${printTable(told, results)}`
}

function leftOf({ leftUnknown, leftUnknownWritten }: FaultResult): string {
  return leftUnknown === 0 ? '–' : `${leftUnknown}, ${leftUnknownWritten}`
}

/** "202: 1840, 503: 12", or a dash. */
function listOf(counts: Counts): string {
  const parts = Object.entries(counts)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, count]) => `${name}: ${count}`)
  return parts.length === 0 ? '–' : parts.join(', ')
}
