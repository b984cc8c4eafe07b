/** Formats gateway results as the tables of docs/explanation/faults-gateway.md. */
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
  ['rejected but written', ({ rejectedButWritten }) => String(rejectedButWritten.length)],
  ['duplicates', ({ duplicates }) => String(duplicates)],
  ['500s', ({ serverErrors }) => String(serverErrors)],
  ['longest time without a 202', ({ longestPauseSeconds }) => secondsOf(longestPauseSeconds)],
  ['recovery to next 202', ({ recoverySeconds }) => secondsOf(recoverySeconds)]
]

const responses: readonly Column<FaultResult>[] = [
  fault,
  ['requests by status', ({ answers }) => listOf(answers)],
  ['attempts rejected', ({ rejected }) => listOf(rejected)],
  ['attempts unknown', ({ unknown }) => listOf(unknown)],
  ['decisions left unknown, of these written', leftOf]
]

/** Returns two Markdown tables with one row per fault: decisions and responses. */
export function tablesOf(results: readonly FaultResult[]): string {
  return `${printTable(found, results)}\n\n${printTable(responses, results)}`
}

function leftOf({ leftUnknown, leftUnknownWritten }: FaultResult): string {
  return leftUnknown === 0 ? '–' : `${leftUnknown}, ${leftUnknownWritten}`
}

/** Formats counts, for example "202: 1840, 503: 12"; a dash if there are none. */
function listOf(counts: Counts): string {
  const parts = Object.entries(counts)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, count]) => `${name}: ${count}`)
  return parts.length === 0 ? '–' : parts.join(', ')
}
