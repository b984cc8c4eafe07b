/** What became of one attempt of a run: scores, no question, or a failure and what it means. */
import type { Decision } from '../../../core/decision/decision.ts'
import type { Score } from '../../../core/evaluation/evaluation.ts'
import type { EvaluatorVersion } from '../../../core/evaluation/evaluator-definition.ts'
import type { StatusReason } from '../../../core/evaluation/status-reason.ts'

export interface Scored {
  readonly kind: 'scored'
  readonly scores: readonly Score[]
}

export interface Skipped {
  readonly kind: 'skipped'
  readonly status_reason: StatusReason
}

export interface Failure {
  readonly kind: 'failure'
  readonly status_reason: StatusReason
  /** Whether the same run may succeed later. */
  readonly retryable: boolean
  /** Whether each run on this connection would end the same way, so that none is worth trying. */
  readonly blocks: boolean
  /** The least that the provider asks to wait; null when it asks for nothing. */
  readonly retryAfterMs: number | null
  readonly http_status: number | null
  /** Without anything of the decision, and without the key. */
  readonly message: string
}

/** What an attempt used. */
export interface CallReport {
  /** Requests sent; more than one where a reply had to be asked for again. */
  readonly calls: number
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  /** Billionths of a US dollar; null when the price is not known. */
  readonly cost_nano_usd: number | null
  readonly model: string | null
  readonly model_reported: string | null
  readonly latency_ms: number | null
  /** What the judge answered, as far as it is kept. */
  readonly reply: string | null
}

export interface JudgeOutcome {
  readonly result: Scored | Skipped | Failure
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

/** A failure that no repetition mends. */
export function permanentFailure(status_reason: StatusReason, message: string): Failure {
  const terms = { retryable: false, blocks: false, retryAfterMs: null, http_status: null }
  return { kind: 'failure', status_reason, ...terms, message }
}

/** A row of `evaluation_connections`, as far as a call needs it. */
export interface JudgeConnection {
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
  readonly connection: JudgeConnection
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** Calls the network. What goes wrong there is an outcome; what it throws is a bug. */
export type Judge = (request: JudgeRequest) => Promise<JudgeOutcome>

/** Needs no network. */
export type EvaluateOffline = (
  version: EvaluatorVersion,
  decision: Decision,
  runId: string
) => Scored | Skipped | Failure
