/** What every kind of evaluator says of itself: its configuration, its score, how it runs. */
import type { ScoreDefinition } from '../core/evaluation/evaluator-definition.ts'
import type { Violation } from '../core/problem.ts'
import type { JsonSchema } from '../platform/validation/json-schema.ts'
import type { Evaluate } from './evaluator.ts'

/** A score's definition without its name, which an evaluator's is by itself. */
export type OutputForm = Omit<ScoreDefinition, 'name'>

/** Of a kind, or of a check of the kind `heuristic`. `Config` has passed `properties`. */
export interface Kind<Config = unknown> {
  /** Members of the configuration; no other is taken. */
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  /** Whether what it takes to run depends on nothing that a customer wrote. */
  readonly isBounded: boolean
  /** The score it gives; a threshold may be set by the evaluator. */
  readonly outputOf: (config: Config) => OutputForm
  /** What the properties cannot say: pointers begin at the configuration. */
  readonly check?: (config: Config) => readonly Violation[]
  /** Never throws for a configuration that passed. */
  readonly compile: (config: Config, state: EvaluatorState) => Evaluate
}

/** What a process keeps from one decision to the next. */
export interface EvaluatorState {
  readonly sessions: SessionMemory | null
}

/** Which answers the sessions of late have given; the same question again changes nothing. */
export interface SessionMemory {
  /** @returns the answers of the session up to this decision's, the last of them, as hashes */
  remember(sessionKey: string, decisionId: string, answer: number): readonly number[]
}

const bareOutput = { min: null, max: null, labels: null, pass: null, threshold: null } as const

export const booleanOutput: OutputForm = Object.freeze({
  ...bareOutput,
  data_type: 'boolean',
  direction: 'higher'
})

/** From 0 to 1, the more the better. */
export const shareOutput: OutputForm = Object.freeze({
  ...bareOutput,
  data_type: 'numeric',
  min: 0,
  max: 1,
  direction: 'higher'
})

/** A number from 0 that is neither good nor bad by itself. */
export const countOutput: OutputForm = Object.freeze({
  ...bareOutput,
  data_type: 'numeric',
  min: 0,
  direction: 'none'
})
