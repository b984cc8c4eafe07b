/** Defines the outcome of an attempt: scores, a skip, or a failure and its consequences. */
import type { Decision } from '../../../core/decision/decision.ts'
import type { Score } from '../../../core/evaluation/evaluation.ts'
import type { EvaluatorVersion } from '../../../core/evaluation/evaluator-definition.ts'
import type { StatusReason } from '../../../core/evaluation/status-reason.ts'
import type { JudgeFailure } from '../../../evaluators/judge/judge.ts'

interface Scored {
  readonly kind: 'scored'
  readonly scores: readonly Score[]
}

interface SkippedAttempt {
  readonly kind: 'skipped'
  readonly status_reason: StatusReason
}

/** If it `blocks`, all runs on the connection wait. */
export interface Failure extends Omit<JudgeFailure, 'status_reason'> {
  readonly status_reason: StatusReason
}

/** Usage and cost of an attempt. */
export interface CallReport {
  /**
   * Number of requests sent. More than one if, for example, the judge was asked again because its
   * reply was unreadable.
   */
  readonly calls: number
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  /** In billionths of a US dollar. Null if the price is unknown. */
  readonly cost_nano_usd: number | null
  readonly model: string | null
  readonly model_reported: string | null
  readonly latency_ms: number | null
  /** Reply of the judge, possibly truncated. */
  readonly reply: string | null
}

export interface JudgeOutcome {
  readonly result: Scored | SkippedAttempt | Failure
  readonly report: CallReport
}

export const noCall: CallReport = Object.freeze({
  calls: 0,
  input_tokens: null,
  output_tokens: null,
  cost_nano_usd: null,
  model: null,
  model_reported: null,
  latency_ms: null,
  reply: null
})

/** Creates a failure that a retry cannot fix. */
export function permanentFailure(status_reason: StatusReason, message: string): Failure {
  const terms = { retryable: false, blocks: false, retryAfterMs: null, http_status: null }
  return { kind: 'failure', status_reason, ...terms, message }
}

/** Columns of `evaluation_connections` that a judge call needs. */
export interface ConnectionToCall {
  readonly organization_id: string
  readonly connection_id: string
  readonly kind: string
  readonly base_url: string
  readonly api_key_sealed: Buffer | null
  /** JSON text. */
  readonly models: string
  readonly concurrency_max: number
  readonly updated_at: Date
}

export interface JudgeRequest {
  readonly run_id: string
  readonly version: EvaluatorVersion
  readonly decision: Decision
  readonly connection: ConnectionToCall
  /** Aborted when the reply is no longer needed. */
  readonly signal: AbortSignal
}

/** Calls a judge over the network. A failed call is an outcome; an exception is a bug. */
export type Judge = (request: JudgeRequest) => Promise<JudgeOutcome>

export type EvaluateOffline = (
  version: EvaluatorVersion,
  decision: Decision,
  runId: string
) => Scored | SkippedAttempt | Failure
