/** What readers see of a decision's evaluation, made of its runs. */
import { currentRunsOf, evaluationStateOf } from '../../core/evaluation-status.ts'
import type { EvaluationState } from '../../core/evaluation-status.ts'
import { verdictOf } from '../../core/evaluation.ts'
import type { Verdict } from '../../core/evaluation.ts'
import type { StoredRun, StoredScore } from './read-runs.ts'

export interface ScoreView extends Omit<StoredScore, 'name'> {
  readonly run_id: string
  readonly rule: string
  readonly evaluator: string
  readonly evaluator_version: number
  readonly evaluated_at: string
}

export interface EvaluationView extends EvaluationState {
  readonly verdict: Verdict
  /** Replays have taken the place of what they repeat. */
  readonly currentRuns: readonly StoredRun[]
}

export function evaluationViewOf(runs: readonly StoredRun[]): EvaluationView {
  const currentRuns = currentRunsOf(runs)
  const verdict = verdictOf(currentRuns.flatMap((run) => run.scores))
  return { ...evaluationStateOf(currentRuns), verdict, currentRuns }
}

/** By name; of two with one name the later evaluated. Also a score named `__proto__` is kept. */
export function scoresByName(runs: readonly StoredRun[]): Readonly<Record<string, ScoreView>> {
  const inOrder = runs.toSorted((left, right) => +left.evaluated_at - +right.evaluated_at)
  const entries = inOrder.flatMap((run) =>
    run.scores.map((score) => [score.name, scoreViewOf(run, score)] as const)
  )
  return Object.fromEntries(entries)
}

function scoreViewOf(run: StoredRun, score: StoredScore): ScoreView {
  const { score_id, data_type, value, label, passed, reason } = score
  const { run_id, rule, evaluator, evaluator_version } = run
  const evaluated_at = run.evaluated_at.toISOString()
  return {
    score_id,
    data_type,
    value,
    label,
    passed,
    reason,
    run_id,
    rule,
    evaluator,
    evaluator_version,
    evaluated_at
  }
}
