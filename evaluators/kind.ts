/** Defines evaluator kinds: their configuration, their score and how they run. */
import type { ScoreDefinition } from '../core/evaluation/evaluator-definition.ts'
import type { Violation } from '../core/problem.ts'
import type { JsonSchema } from '../platform/validation/json-schema.ts'
import type { Evaluate } from './evaluator.ts'

/** Score definition without its name, which the evaluator sets. */
export type OutputForm = Omit<ScoreDefinition, 'name'>

/**
 * Evaluator kind, or check of the kind `heuristic`. A `Config` has been validated against
 * `properties`.
 */
export interface Kind<Config = unknown> {
  /** Members of the configuration. Other members are rejected. */
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  /** False if the running time depends on patterns or schemas that a tenant wrote. */
  readonly isBounded: boolean
  /**
   * Returns the score definition of a configuration. An evaluator can override only its threshold.
   */
  readonly outputOf: (config: Config) => OutputForm
  /** Checks rules that `properties` cannot express. Pointers are relative to the configuration. */
  readonly check?: (config: Config) => readonly Violation[]
  /** Returns the evaluation function. Never throws for a valid configuration. */
  readonly compile: (config: Config, state: EvaluatorState) => Evaluate
}

/** State that a process keeps between decisions. */
export interface EvaluatorState {
  readonly sessions: SessionMemory | null
}

/** Remembers hashes of the recent answers of each session. */
export interface SessionMemory {
  /**
   * Adds the hash of an answer. Idempotent per decision.
   * @returns hashes of the session's recent answers, up to and including this decision's
   */
  remember(sessionKey: string, decisionId: string, answer: number): readonly number[]
}

const bareOutput = { min: null, max: null, labels: null, pass: null, threshold: null } as const

export const booleanOutput: OutputForm = Object.freeze({
  ...bareOutput,
  data_type: 'boolean',
  direction: 'higher'
})

/** Score from 0 to 1. Higher is better. */
export const shareOutput: OutputForm = Object.freeze({
  ...bareOutput,
  data_type: 'numeric',
  min: 0,
  max: 1,
  direction: 'higher'
})

/** Non-negative count. Neither a higher nor a lower count is better. */
export const countOutput: OutputForm = Object.freeze({
  ...bareOutput,
  data_type: 'numeric',
  min: 0,
  direction: 'none'
})
