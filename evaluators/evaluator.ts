/** What an evaluator is: a name, a version, and a pure function from a subject to a finding. */
import type { EvaluatorVersion } from '../core/evaluation/evaluator-definition.ts'
import type { ScoreDataType } from '../core/evaluation/evaluation.ts'
import type { StatusReason } from '../core/evaluation/status-reason.ts'
import type { Subject } from './subject.ts'

/** Where in the decision something stands. */
export interface Evidence {
  /** JSON pointer into the decision: `/output`, `/metadata/expected`. */
  readonly path: string
  /** Null where it must not be said again. */
  readonly quote: string | null
  /** In code units of the text at `path`; null where the whole of it is meant. */
  readonly start: number | null
  readonly end: number | null
}

/** The score an evaluator gives; its name is the evaluator's. */
export interface Finding {
  readonly kind: 'finding'
  readonly data_type: ScoreDataType
  readonly value: number | null
  readonly label: string | null
  readonly passed: boolean | null
  /** A sentence that explains the score and never quotes what was found. */
  readonly reason: string
  readonly evidence?: readonly Evidence[]
  /** From 0 to 1. */
  readonly confidence?: number
}

/** No score, and why: the question does not arise, or the text is too long to tell. */
export interface Skipped {
  readonly kind: 'skipped'
  readonly status_reason: SkipReason
}

export type SkipReason = Extract<
  StatusReason,
  'not_applicable' | 'content_missing' | 'content_too_large'
>

/** Linear in the text it looks at, which a named limit bounds, but for a customer's own rules. */
export type Evaluate = (subject: Subject) => Finding | Skipped

/** An evaluator that needs no network, ready to run. */
export interface CompiledEvaluator {
  readonly version: EvaluatorVersion
  /** Whether what it takes to run depends on nothing that a customer wrote. */
  readonly isBounded: boolean
  /** @throws {EvaluatorFailure}, or anything else where it has a bug */
  readonly evaluate: Evaluate
}

export type FailureReason = Extract<
  StatusReason,
  'code_error' | 'code_timeout' | 'out_of_range' | 'unknown_label'
>

/** A run that gives no score though it should: the evaluator's fault, not the decision's. */
export class EvaluatorFailure extends Error {
  override readonly name = 'EvaluatorFailure'
  readonly status_reason: FailureReason

  constructor(statusReason: FailureReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status_reason = statusReason
  }
}

export interface Evaluator {
  readonly name: string
  readonly kind: 'heuristic'
  /** Grows whenever the same decision may get another score. */
  readonly version: number
  readonly evaluate: Evaluate
}

export const notApplicable: Skipped = Object.freeze({
  kind: 'skipped',
  status_reason: 'not_applicable'
})

export const contentMissing: Skipped = Object.freeze({
  kind: 'skipped',
  status_reason: 'content_missing'
})

export const contentTooLarge: Skipped = Object.freeze({
  kind: 'skipped',
  status_reason: 'content_too_large'
})

/** A boolean score. */
export function verdict(passed: boolean, reason: string): Finding {
  const value = passed ? 1 : 0
  return { kind: 'finding', data_type: 'boolean', value, label: null, passed, reason }
}

/** A numeric score from 0 to 1, to three digits. */
export function share(part: number, passed: boolean, reason: string): Finding {
  const value = Math.round(part * 1000) / 1000
  return { kind: 'finding', data_type: 'numeric', value, label: null, passed, reason }
}
