/** Evaluator definitions: immutable versions that describe how an evaluator scores a decision. */
import type { ScoreDataType } from './evaluation.ts'

const offlineKinds = ['heuristic', 'regex', 'json_schema', 'similarity'] as const
export type OfflineKind = (typeof offlineKinds)[number]

/** `llm_judge` calls a provider; `external` waits for a pushed score. */
export const evaluatorKinds = [...offlineKinds, 'llm_judge', 'external'] as const
export type EvaluatorKind = (typeof evaluatorKinds)[number]

type ScoreDirection = 'higher' | 'lower' | 'none'

/** Defines the score that an evaluator produces, and which values pass. */
export interface ScoreDefinition {
  readonly name: string
  readonly data_type: ScoreDataType
  /** Lower bound of a numeric score; null if unbounded. */
  readonly min: number | null
  readonly max: number | null
  /** Value of each label of a categorical score, from 0 to 1. */
  readonly labels: Readonly<Record<string, number>> | null
  /** Labels that pass. */
  readonly pass: readonly string[] | null
  /**
   * A numeric score passes if it is at least this value, or at most this value if lower is better.
   */
  readonly threshold: number | null
  readonly direction: ScoreDirection
}

/** The members of an evaluator that callers can set. */
export interface EvaluatorDraft {
  readonly name: string
  readonly kind: EvaluatorKind
  readonly description: string | null
  /** Its shape depends on the kind. */
  readonly config: Readonly<Record<string, unknown>>
  readonly output: ScoreDefinition
  /** Maximum duration of one run, in milliseconds. */
  readonly timeout_ms: number
}

export interface EvaluatorVersion extends EvaluatorDraft {
  /** `evl_` and 32 hex digits, or the name of a built-in evaluator. */
  readonly evaluator_id: string
  /** Starts at 1; each change creates the next version. */
  readonly version: number
  /** `sha256:` and the hash of kind, config, output and timeout. */
  readonly config_hash: string
}

export function isOfflineKind(kind: string): kind is OfflineKind {
  return (offlineKinds as readonly string[]).includes(kind)
}
