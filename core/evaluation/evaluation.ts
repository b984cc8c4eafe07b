/** Evaluations: the runs planned for a decision, their results and their scores. */

export type ScoreDataType = 'numeric' | 'boolean' | 'categorical' | 'text'
/** How a run ended. Each run ends exactly once. */
export type RunStatus = 'succeeded' | 'failed' | 'skipped' | 'expired' | 'canceled'
export const verdicts = ['pass', 'fail', 'mixed', 'none'] as const
export type Verdict = (typeof verdicts)[number]

export interface Score {
  /** Derived from the run and the name, so that a redelivered run yields the same score id. */
  readonly score_id: string
  readonly name: string
  readonly data_type: ScoreDataType
  /** Numeric value; 0 or 1 for a boolean; null if the score has only a label. */
  readonly value: number | null
  readonly label: string | null
  readonly passed: boolean | null
  readonly reason: string | null
  /** From 0 (worst) to 1 (best), so that scores on different scales can be compared. */
  readonly normalized: number | null
  /**
   * Passing threshold, inclusive: the minimum passing value, or the maximum if `direction` is
   * `lower`.
   */
  readonly threshold: number | null
  readonly range_min: number | null
  readonly range_max: number | null
  /** Whether higher or lower values are better: `higher`, `lower` or `none`. */
  readonly direction: string | null
  /** From 0 to 1. */
  readonly confidence: number | null
  /** JSON text of a list of `{path, quote, start, end}`. */
  readonly evidence: string | null
  /** Source of the score: `evaluator`, `human`, `end_user` or `api`; null means `evaluator`. */
  readonly source_kind: string | null
  readonly source_id: string | null
}

/** Null values for the optional members of a score. */
export const bareScore = Object.freeze({
  normalized: null,
  threshold: null,
  range_min: null,
  range_max: null,
  direction: null,
  confidence: null,
  evidence: null,
  source_kind: null,
  source_id: null
})

/**
 * Identifies a run. A `run_id` alone is not sufficient, because any producer of the topic can
 * choose it.
 */
export type RunKey = {
  readonly organization_id: string
  readonly decision_id: string
  readonly run_id: string
}

/** Properties that runs of many decisions share: rule, evaluator version and score definition. */
export interface RunKind {
  readonly rule_id: string
  readonly rule: string
  readonly evaluator_id: string
  readonly evaluator: string
  readonly evaluator_kind: string
  readonly evaluator_version: number
  /** `sha256:` and the hash of the evaluator version's configuration. */
  readonly config_hash: string | null
  /** Score name. If the run has no score, the name and all fields after it are null. */
  readonly name: string | null
  readonly data_type: ScoreDataType | null
  readonly threshold: number | null
  readonly range_min: number | null
  readonly range_max: number | null
  readonly direction: string | null
  /**
   * The reason with `#` in place of each number; null if the run's `reason` holds the whole text.
   */
  readonly reason_template: string | null
}

/** A run of an evaluator that needs no network. All such runs of a decision end together. */
export interface PackedRun {
  /** Shared by many runs. */
  readonly kind: RunKind
  /** Only a succeeded run has a score. */
  readonly status: 'succeeded' | 'failed' | 'skipped'
  readonly status_reason: string | null
  readonly duration_us: number | null
  readonly value: number | null
  readonly label: string | null
  readonly passed: boolean | null
  /** Null if the kind has a reason template. */
  readonly reason: string | null
  /**
   * The numbers that replace the `#` characters of `reason_template`, in order, separated by
   * spaces.
   */
  readonly reason_numbers: string | null
  readonly confidence: number | null
  readonly evidence: string | null
  /** Error message, without any content of the decision. */
  readonly error: string | null
}

/** A run that ends separately: a judge run, a replay or a pushed score. */
export interface LaterRun {
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
  readonly rule_id: string | null
  readonly evaluator_id: string | null
  /** `sha256:` and the hash of the evaluator version's configuration. */
  readonly config_hash: string | null
  /** The run that this one repeats. */
  readonly replay_of: string | null
  /** Milliseconds since 1970, like all times in this file. */
  readonly scheduled_at: number | null
  readonly started_at: number | null
  /** Error message, without any content of the decision. */
  readonly error: string | null
  readonly http_status: number | null
  readonly provider: string | null
  /** The requested model. `model_reported` is the model named in the response. */
  readonly model: string | null
  readonly model_reported: string | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  /** Billionths of a US dollar; null (not 0) if the price is unknown. */
  readonly cost_nano_usd: number | null
  readonly latency_ms: number | null
}

/**
 * Null values for the members that not every run has, for example the rule, the repeated run or the
 * details of a network call.
 */
export const bareRun = Object.freeze({
  rule_id: null,
  evaluator_id: null,
  config_hash: null,
  replay_of: null,
  scheduled_at: null,
  started_at: null,
  error: null,
  http_status: null,
  provider: null,
  model: null,
  model_reported: null,
  input_tokens: null,
  output_tokens: null,
  cost_nano_usd: null,
  latency_ms: null
})

/** What each rule of an organization planned for one decision. */
export interface EvaluationPlan {
  readonly rule_set_version: number
  /**
   * One entry for each rule, in the order of the rule set: `planned`, or the reason why nothing was
   * planned.
   */
  readonly outcomes: readonly string[]
}

/** The value of a record on the topic `decision-evaluations`. */
export interface Evaluation {
  readonly decision_id: string
  readonly organization_id: string
  readonly agent_id: string | null
  readonly session_id: string | null
  readonly domain: string | null
  readonly received_at: number
  readonly evaluated_at: number
  /** Set only if `runs` contains all planned runs. */
  readonly plan: EvaluationPlan | null
  /** Storage keeps the `runs` of only one record per decision. */
  readonly runs: readonly PackedRun[]
  readonly later_runs: readonly LaterRun[]
}

/** Derives the verdict from all scores. Ignores scores that neither pass nor fail. */
export function verdictOf(scores: readonly Pick<Score, 'passed'>[]): Verdict {
  const passes = scores.filter((score) => score.passed === true).length
  const fails = scores.filter((score) => score.passed === false).length
  if (passes > 0 && fails > 0) return 'mixed'
  if (fails > 0) return 'fail'
  return passes > 0 ? 'pass' : 'none'
}
