/** Evaluations: the runs planned for a decision, what became of them, and their scores. */

export type ScoreDataType = 'numeric' | 'boolean' | 'categorical' | 'text'
/** How a run ends; each ends exactly once. */
export type RunStatus = 'succeeded' | 'failed' | 'skipped' | 'expired' | 'canceled'
export type Verdict = 'pass' | 'fail' | 'mixed' | 'none'

export interface Score {
  /** Derived from the run and the name, so that a repeated run yields the same score. */
  readonly score_id: string
  readonly name: string
  readonly data_type: ScoreDataType
  /** The number; a boolean is 0 or 1; null when the score is a label only. */
  readonly value: number | null
  readonly label: string | null
  readonly passed: boolean | null
  readonly reason: string | null
  /** From 0, the worst, to 1, the best: makes different scales comparable. */
  readonly normalized: number | null
  /** Where `passed` begins. */
  readonly threshold: number | null
  readonly range_min: number | null
  readonly range_max: number | null
  /** Which way is better: `higher`, `lower` or `none`. */
  readonly direction: string | null
  /** From 0 to 1. */
  readonly confidence: number | null
  /** JSON text of a list of `{path, quote, start, end}`. */
  readonly evidence: string | null
  /** Who says so: `evaluator`, `human`, `end_user` or `api`; null is `evaluator`. */
  readonly source_kind: string | null
  readonly source_id: string | null
}

/** What a score says beyond its value; most say nothing of it. */
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

/** Names a run everywhere: a `run_id` alone is chosen by whoever writes to the topic. */
export type RunKey = {
  readonly organization_id: string
  readonly decision_id: string
  readonly run_id: string
}

/** What runs of many decisions have in common: rule, evaluator version, and the score it gives. */
export interface RunKind {
  readonly rule_id: string
  readonly rule: string
  readonly evaluator_id: string
  readonly evaluator: string
  readonly evaluator_kind: string
  readonly evaluator_version: number
  /** `sha256:` and the hash of the configuration of the evaluator's version. */
  readonly config_hash: string | null
  /** Of the score; null for a run without one, as are all members below. */
  readonly name: string | null
  readonly data_type: ScoreDataType | null
  readonly threshold: number | null
  readonly range_min: number | null
  readonly range_max: number | null
  readonly direction: string | null
  /** The reason, with a `#` for each number; null if `reason` of the run has the whole text. */
  readonly reason_template: string | null
}

/** A run of an evaluator that needs no network. All such runs of a decision end together. */
export interface PackedRun {
  /** Many runs share the same object. */
  readonly kind: RunKind
  /** Only a run that succeeded has a score. */
  readonly status: 'succeeded' | 'failed' | 'skipped'
  readonly status_reason: string | null
  readonly duration_us: number | null
  readonly value: number | null
  readonly label: string | null
  readonly passed: boolean | null
  /** Null with a template. */
  readonly reason: string | null
  /** The digits that replace each `#` of `reason_template`, in order, separated by spaces. */
  readonly reason_numbers: string | null
  readonly confidence: number | null
  readonly evidence: string | null
  /** What went wrong, without anything of the decision. */
  readonly error: string | null
}

/** A run that ended on its own: of a judge, of a replay, or of a pushed score. */
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
  /** `sha256:` and the hash of what the evaluator's version says. */
  readonly config_hash: string | null
  /** The run that this one repeats. */
  readonly replay_of: string | null
  /** Milliseconds since 1970, as are all times here. */
  readonly scheduled_at: number | null
  readonly started_at: number | null
  /** What went wrong, without anything of the decision. */
  readonly error: string | null
  readonly http_status: number | null
  readonly provider: string | null
  /** The model that was asked for, and the one that says it answered. */
  readonly model: string | null
  readonly model_reported: string | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  /** Billionths of a US dollar; null when the price is not known, and never 0 instead. */
  readonly cost_nano_usd: number | null
  readonly latency_ms: number | null
}

/** What only some runs have: of a rule of the organization, a replay, a call over the network. */
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

/** The outcome of each rule of an organization for one decision. */
export interface EvaluationPlan {
  readonly rule_set_version: number
  /** One for each rule, in the order of the rule set: `planned`, or the reason it was not. */
  readonly outcomes: readonly string[]
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
  /** Set if `runs` contains all planned runs; otherwise null. */
  readonly plan: EvaluationPlan | null
  /** Storage keeps the `runs` of one record per decision. */
  readonly runs: readonly PackedRun[]
  readonly later_runs: readonly LaterRun[]
}

/** Passes and fails of all scores in one word; scores without an opinion do not count. */
export function verdictOf(scores: readonly Pick<Score, 'passed'>[]): Verdict {
  const passes = scores.filter((score) => score.passed === true).length
  const fails = scores.filter((score) => score.passed === false).length
  if (passes > 0 && fails > 0) return 'mixed'
  if (fails > 0) return 'fail'
  return passes > 0 ? 'pass' : 'none'
}
