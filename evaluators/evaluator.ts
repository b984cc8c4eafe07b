/** Defines evaluators: a name, a version and a function from a subject to a finding. */
import type { EvaluatorVersion } from '../core/evaluation/evaluator-definition.ts'
import type { ScoreDataType } from '../core/evaluation/evaluation.ts'
import type { StatusReason } from '../core/evaluation/status-reason.ts'
import type { Subject } from './subject.ts'

/** Location in a decision that explains a score. */
export interface Evidence {
  /** JSON pointer into the decision, for example `/output` or `/metadata/expected`. */
  readonly path: string
  /** Text at the location, or null if it must not be disclosed. */
  readonly quote: string | null
  /** Offset in UTF-16 code units in the text at `path`; null means the whole text. */
  readonly start: number | null
  readonly end: number | null
}

/** A score without its name, which the score definition sets. */
export interface Finding {
  readonly kind: 'finding'
  readonly data_type: ScoreDataType
  readonly value: number | null
  readonly label: string | null
  readonly passed: boolean | null
  /**
   * A sentence that explains the score. The reasons of checks and patterns never quote the match.
   */
  readonly reason: string
  readonly evidence?: readonly Evidence[]
  /** From 0 to 1. */
  readonly confidence?: number
}

/**
 * No score, because the evaluator does not apply to the decision, or content is missing or too
 * large.
 */
export interface Skipped {
  readonly kind: 'skipped'
  readonly status_reason: SkipReason
}

export type SkipReason = Extract<
  StatusReason,
  'not_applicable' | 'content_missing' | 'content_too_large'
>

/**
 * Evaluates a decision. A named constant must limit the length of the text read, and running time
 * must be linear in that length. Exceptions: patterns and schemas that a tenant wrote, and the
 * Levenshtein similarity, which has a lower limit because its running time is quadratic.
 */
export type Evaluate = (subject: Subject) => Finding | Skipped

/** An offline evaluator, ready to run. */
export interface CompiledEvaluator {
  readonly version: EvaluatorVersion
  /** False if the running time depends on patterns or schemas that a tenant wrote. */
  readonly isBounded: boolean
  /** @throws {EvaluatorFailure}, or any error if the evaluator has a bug */
  readonly evaluate: Evaluate
}

export type FailureReason = Extract<
  StatusReason,
  'code_error' | 'code_timeout' | 'out_of_range' | 'unknown_label'
>

/**
 * Thrown if an evaluator applies to a decision but fails to score it. The evaluator is at fault,
 * not the decision.
 */
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
  /** Increased by every change that can give the same decision a different score. */
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

/** Creates a finding with a boolean score. */
export function verdict(passed: boolean, reason: string): Finding {
  const value = passed ? 1 : 0
  return { kind: 'finding', data_type: 'boolean', value, label: null, passed, reason }
}

/** Creates a finding with a numeric score from 0 to 1, rounded to three decimal places. */
export function share(part: number, passed: boolean, reason: string): Finding {
  const value = Math.round(part * 1000) / 1000
  return { kind: 'finding', data_type: 'numeric', value, label: null, passed, reason }
}
