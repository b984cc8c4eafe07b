/** A run of an evaluator on one decision, whether it has ended or not, as readers see it. */
import type { LaterRun, Score } from '../core/evaluation/evaluation.ts'

/** A score of a run; one that an evaluator gave says so. */
export interface RunScore extends Omit<Score, 'source_kind'> {
  readonly source_kind: string
}

export interface EvaluationRun {
  readonly run_id: string
  readonly rule_id: string | null
  readonly rule: string
  readonly evaluator_id: string | null
  readonly evaluator: string
  readonly evaluator_kind: string
  readonly evaluator_version: number
  readonly generation: number
  readonly replay_of: string | null
  readonly superseded_by: string | null
  readonly status: string
  readonly status_reason: string | null
  readonly attempts: number
  readonly duration_us: number | null
  readonly scheduled_at: Date | null
  readonly started_at: Date | null
  /** Null when no attempt is to come. */
  readonly next_attempt_at: Date | null
  /** Null while it has not ended. */
  readonly evaluated_at: Date | null
  /** Null while it is open, or on its way through the topic. */
  readonly stored_at: Date | null
  readonly scores: readonly RunScore[]
}

/** The newest first; of one instant by their ids, as sums of scores have it, so all agree. */
export function newestFirst(runs: readonly EvaluationRun[]): readonly EvaluationRun[] {
  const idOf = ({ run_id, scores }: EvaluationRun): string => scores[0]?.score_id ?? run_id
  return runs.toSorted(
    (left, right) =>
      Number(right.evaluated_at) - Number(left.evaluated_at) ||
      Number(idOf(right) > idOf(left)) - Number(idOf(right) < idOf(left))
  )
}

export interface RunRow extends Omit<EvaluationRun, 'scores'> {
  /** JSON text of an open run as it ended; null while it has not. */
  readonly result: string | null
}

/** Of a run that has ended, what it came to counts, and not what its row still says. */
export function openRunOf({ result, ...row }: RunRow): EvaluationRun {
  if (result === null) return { ...row, evaluated_at: null, scores: [] }
  const ended = JSON.parse(result) as LaterRun
  return {
    ...row,
    evaluator_id: ended.evaluator_id,
    status: ended.status,
    status_reason: ended.status_reason,
    attempts: ended.attempts,
    duration_us: ended.duration_us,
    next_attempt_at: null,
    scores: ended.scores.map(runScoreOf)
  }
}

export function endedRunOf(
  { result: _result, ...row }: RunRow,
  scores: readonly RunScore[]
): EvaluationRun {
  return { ...row, scores }
}

export function runScoreOf(score: Score): RunScore {
  return { ...score, source_kind: score.source_kind ?? 'evaluator' }
}

/** A run with the names of its scores; the scores themselves are beside the runs. */
export function runViewOf({ scores, stored_at: _, ...run }: EvaluationRun) {
  return { ...run, scores: scores.map((score) => score.name) }
}
