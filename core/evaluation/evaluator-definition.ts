/** What an organization says of an evaluator: how it scores, as one immutable version. */
import type { ScoreDataType } from './evaluation.ts'

export const offlineKinds = ['heuristic', 'regex', 'json_schema', 'similarity'] as const
export type OfflineKind = (typeof offlineKinds)[number]

/** `llm_judge` calls the network, and `external` waits for a score that somebody pushes. */
export const evaluatorKinds = [...offlineKinds, 'llm_judge', 'external'] as const
export type EvaluatorKind = (typeof evaluatorKinds)[number]

export type ScoreDirection = 'higher' | 'lower' | 'none'

/** The score that an evaluator gives, and what of it passes. */
export interface ScoreDefinition {
  readonly name: string
  readonly data_type: ScoreDataType
  /** Of a numeric score; null where it has no bound. */
  readonly min: number | null
  readonly max: number | null
  /** Of a categorical score: each label with its worth from 0 to 1. */
  readonly labels: Readonly<Record<string, number>> | null
  /** The labels that pass. */
  readonly pass: readonly string[] | null
  /** A numeric score passes from here on, or down to here where lower is better. */
  readonly threshold: number | null
  readonly direction: ScoreDirection
}

/** What a caller says of an evaluator when it is made or changed. */
export interface EvaluatorDraft {
  readonly name: string
  readonly kind: EvaluatorKind
  readonly description: string | null
  /** Its shape depends on the kind. */
  readonly config: Readonly<Record<string, unknown>>
  readonly output: ScoreDefinition
  /** Of one run, in milliseconds. */
  readonly timeout_ms: number
}

export interface EvaluatorVersion extends EvaluatorDraft {
  /** `evl_` and 32 hex digits; a built-in one is called by its name. */
  readonly evaluator_id: string
  /** From 1; a change makes the next one. */
  readonly version: number
  /** `sha256:` and the hash of kind, config, output and timeout. */
  readonly config_hash: string
}

export function isOfflineKind(kind: string): kind is OfflineKind {
  return (offlineKinds as readonly string[]).includes(kind)
}
