/** What the faults led to, as tables for a page. */
import type { FaultResult } from './run-fault.ts'

type Counts = Readonly<Record<string, number>>

type Column = readonly [string, (result: FaultResult) => string]

const fault: Column = ['fault', (result) => result.fault]

const found: readonly Column[] = [
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

const told: readonly Column[] = [
  fault,
  ['requests by status', ({ answers }) => listOf(answers)],
  ['attempts refused', ({ refused }) => listOf(refused)],
  ['attempts unknown', ({ unknown }) => listOf(unknown)],
  ['decisions left unknown, of these written', leftOf]
]

/** Two tables in Markdown, with a row for each fault: what was found, what callers were told. */
export function tablesOf(results: readonly FaultResult[]): string {
  return `${tableOf(found, results)}\n\n${tableOf(told, results)}`
}

function tableOf(columns: readonly Column[], results: readonly FaultResult[]): string {
  const heads = columns.map(([head]) => head)
  const rows = results.map((result) => columns.map(([, cellOf]) => cellOf(result)))
  const rule = heads.map(() => '---')
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function secondsOf(seconds: number): string {
  return `${seconds.toFixed(2)} s`
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
