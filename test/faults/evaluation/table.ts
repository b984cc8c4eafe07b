/** What the faults of evaluation led to, as tables for a page. */
import { printTable, secondsOf } from '../print-table.ts'
import type { Column } from '../print-table.ts'
import type { EvaluationVerdict } from './judge.ts'
import type { EvaluationRun } from './run-evaluation-fault.ts'

export interface EvaluationResult extends Omit<EvaluationRun, 'installation'> {
  readonly title: string
  readonly done: string
  readonly verdict: EvaluationVerdict
}

const found: readonly Column<EvaluationResult>[] = [
  ['fault', ({ title }) => title],
  ['what was done', ({ done }) => done],
  ['faults', ({ faults }) => String(faults)],
  ['decisions', ({ verdict }) => String(verdict.decisions)],
  ['delivered again', ({ verdict }) => String(verdict.deliveredAgain)],
  ['runs planned', ({ verdict }) => String(verdict.planned)],
  ['accounted', ({ verdict }) => String(verdict.accounted)],
  ['missing', ({ verdict }) => countOf(verdict.missingRuns)],
  ['stored twice', ({ verdict }) => countOf(verdict.storedTwice)],
  ['ended twice', ({ verdict }) => countOf(verdict.endedTwice)],
  ['lost', ({ verdict }) => countOf(verdict.lost)],
  ['plans amiss', ({ verdict }) => countOf(verdict.planAmiss)],
  ['mended to all planned', ({ recoverySeconds }) => secondsOf(recoverySeconds)],
  ['last decision to last run', ({ drainSeconds }) => secondsOf(drainSeconds)]
]

const called: readonly Column<EvaluationResult>[] = [
  ['fault', ({ title }) => title],
  ['judged runs', ({ verdict }) => String(verdict.judgedRuns)],
  ['calls', ({ verdict }) => String(verdict.calls)],
  ['beyond the first', ({ verdict }) => String(verdict.extraCalls)],
  ['tried again on record', ({ verdict }) => String(verdict.retriesOnRecord)],
  ['processes killed', ({ verdict }) => String(verdict.kills)],
  ['calls cut by it', ({ verdict }) => String(verdict.cutByKill)],
  ['after the end', ({ verdict }) => countOf(verdict.calledAfterEnd)],
  ['not on record', ({ verdict }) => countOf(verdict.notOnRecord)],
  ['without cause', ({ verdict }) => countOf(verdict.unexplained)],
  ['scored twice', ({ verdict }) => countOf(verdict.scoredTwice)],
  ['records beyond the first', ({ verdict }) => String(verdict.publishedAgain)],
  ['processes started again', ({ lastWords }) => countOf(lastWords)]
]

/** Two tables in Markdown: what became of runs, and what the judge was asked. */
export function evaluationTablesOf(results: readonly EvaluationResult[]): string {
  return `${printTable(found, results)}\n\n${printTable(called, results)}`
}

function countOf(list: readonly unknown[]): string {
  return String(list.length)
}
