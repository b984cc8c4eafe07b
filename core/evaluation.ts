/** Evaluations: the runs planned for a decision, what became of them, and their scores. */

export type ScoreDataType = 'numeric' | 'boolean' | 'categorical' | 'text'
export type RunStatus = 'succeeded' | 'failed' | 'skipped'
export type Verdict = 'pass' | 'fail' | 'mixed' | 'none'

export interface Score {
  /** UUIDv5 of the run and the score's name, so a repeated run yields the same score. */
  readonly score_id: string
  readonly name: string
  readonly data_type: ScoreDataType
  /** The number; a boolean is 0 or 1; null when the score is a label only. */
  readonly value: number | null
  readonly label: string | null
  readonly passed: boolean | null
  readonly reason: string | null
}

/** One (decision, evaluator version, rule, generation): it ends exactly once. */
export interface Run {
  readonly run_id: string
  readonly rule: string
  readonly evaluator: string
  readonly evaluator_kind: string
  readonly evaluator_version: number
  readonly generation: number
  readonly status: RunStatus
  readonly status_reason: string | null
  readonly attempts: number
  readonly duration_us: number | null
  readonly scores: readonly Score[]
}

/** The value of a record on `decision-evaluations`. */
export interface Evaluation {
  readonly decision_id: string
  readonly organization_id: string
  readonly agent_id: string | null
  readonly session_id: string | null
  readonly domain: string | null
  readonly received_at: number
  readonly evaluated_at: number
  readonly runs: readonly Run[]
}

/** Passes and fails of all scores in one word; scores without an opinion do not count. */
export function verdictOf(scores: readonly Pick<Score, 'passed'>[]): Verdict {
  const passes = scores.filter((score) => score.passed === true).length
  const fails = scores.filter((score) => score.passed === false).length
  if (passes > 0 && fails > 0) return 'mixed'
  if (fails > 0) return 'fail'
  return passes > 0 ? 'pass' : 'none'
}
