/** Builds evaluation runs as Postgres returns them. */
import type { EvaluationRun } from '../../../api/evaluation-run.ts'

export const now = Date.UTC(2026, 0, 31, 12)

/** Builds a succeeded run without scores. */
export function runOf(members: Partial<EvaluationRun> = {}): EvaluationRun {
  return {
    run_id: '0d7c1f3a-52cb-5b9e-8f1e-0c7a3d9b1e44',
    rule_id: null,
    rule: 'default',
    evaluator_id: null,
    evaluator: 'refusal',
    evaluator_kind: 'heuristic',
    evaluator_version: 1,
    generation: 0,
    replay_of: null,
    superseded_by: null,
    status: 'succeeded',
    status_reason: null,
    attempts: 1,
    duration_us: 12,
    scheduled_at: null,
    started_at: null,
    next_attempt_at: null,
    evaluated_at: new Date(now + 300),
    stored_at: new Date(now + 400),
    scores: [],
    ...members
  }
}
