/** What readers see of a decision's evaluation, made of its plan and its runs. */
import { currentRunsOf, evaluationProgressOf } from '../core/evaluation/evaluation-status.ts'
import { evaluationStateOf, unplannedStateOf } from '../core/evaluation/evaluation-status.ts'
import type { EvaluationProgress, EvaluationState } from '../core/evaluation/evaluation-status.ts'
import { verdictOf } from '../core/evaluation/evaluation.ts'
import type { Verdict } from '../core/evaluation/evaluation.ts'
import { pushRuleId } from '../core/evaluation/rule.ts'
import type { EvaluationRun } from './evaluation-run.ts'
import { planEntriesOf } from './plan-entry.ts'
import type { PlanEntry } from './plan-entry.ts'
import type { KnownEvaluation } from './read-evaluations.ts'
import { scoresByName } from './score-entry.ts'
import type { ScoresByName } from './score-entry.ts'

export interface EvaluationView extends EvaluationState {
  readonly verdict: Verdict
  /** Of what was planned; scores that somebody pushed are beside it. */
  readonly progress: EvaluationProgress
  readonly plan: readonly PlanEntry[]
  readonly scores: ScoresByName
}

export function evaluationViewOf({ plan, runs }: KnownEvaluation): EvaluationView {
  const isPushed = ({ rule_id }: EvaluationRun): boolean => rule_id === pushRuleId
  // Replays have taken the place of what they repeat.
  const planned = currentRunsOf(runs.filter((run) => !isPushed(run)))
  const entries = planEntriesOf(plan, planned)
  const states = entries
    .filter(({ evaluator }) => evaluator !== null)
    .map(({ outcome, reason }) => ({ status: outcome, status_reason: reason }))
  const isUnplanned = plan !== null && states.length === 0
  const state = isUnplanned
    ? unplannedStateOf(entries.flatMap(({ reason }) => reason ?? []))
    : evaluationStateOf(states)
  const scores = scoresByName([...planned, ...runs.filter(isPushed)])
  return {
    ...state,
    verdict: verdictOf(Object.values(scores).map(({ effective_passed: passed }) => ({ passed }))),
    progress: evaluationProgressOf(states),
    plan: entries,
    scores
  }
}
