/** Formats evaluation results as the tables of docs/explanation/faults-evaluation.md. */
import { printTable, secondsOf } from '../print-table.ts'
import type { Column } from '../print-table.ts'
import type { EvaluationReport } from './check-evaluation.ts'
import type { EvaluationRun } from './run-evaluation-fault.ts'

export interface EvaluationResult extends Omit<EvaluationRun, 'installation'> {
  readonly title: string
  readonly done: string
  readonly report: EvaluationReport
}

const found: readonly Column<EvaluationResult>[] = [
  ['fault', ({ title }) => title],
  ['what was done', ({ done }) => done],
  ['faults', ({ faults }) => String(faults)],
  ['decisions', ({ report }) => String(report.decisions)],
  ['redelivered', ({ report }) => String(report.redelivered)],
  ['runs planned', ({ report }) => String(report.planned)],
  ['accounted for', ({ report }) => String(report.accounted)],
  ['missing', ({ report }) => countOf(report.missingRuns)],
  ['stored twice', ({ report }) => countOf(report.storedTwice)],
  ['ended twice', ({ report }) => countOf(report.endedTwice)],
  ['lost', ({ report }) => countOf(report.lost)],
  ['wrong plans', ({ report }) => countOf(report.wrongPlans)],
  ['recovery to all planned', ({ recoverySeconds }) => secondsOf(recoverySeconds)],
  ['last decision to last run', ({ drainSeconds }) => secondsOf(drainSeconds)]
]

const called: readonly Column<EvaluationResult>[] = [
  ['fault', ({ title }) => title],
  ['judged runs', ({ report }) => String(report.judgedRuns)],
  ['calls', ({ report }) => String(report.calls)],
  ['beyond the first', ({ report }) => String(report.extraCalls)],
  ['recorded retries', ({ report }) => String(report.recordedRetries)],
  ['processes killed', ({ report }) => String(report.kills)],
  ['calls cut by kills', ({ report }) => String(report.cutByKill)],
  ['after the end', ({ report }) => countOf(report.calledAfterEnd)],
  ['not recorded', ({ report }) => countOf(report.notRecorded)],
  ['without cause', ({ report }) => countOf(report.unexplained)],
  ['scored twice', ({ report }) => countOf(report.scoredTwice)],
  ['records beyond the first', ({ report }) => String(report.publishedAgain)],
  ['processes restarted', ({ exitLogs }) => countOf(exitLogs)]
]

/** Returns two Markdown tables: runs and judge calls. */
export function evaluationTablesOf(results: readonly EvaluationResult[]): string {
  return `${printTable(found, results)}\n\n${printTable(called, results)}`
}

function countOf(list: readonly unknown[]): string {
  return String(list.length)
}
