/** What a run of evaluation writes down while it goes on, one line of JSON for each thing. */
import type { Outcome } from '../ledger.ts'
import type { Identity } from '../storage/ledger-line.ts'

/** One decision in one request, and what the caller was told of it. */
export interface EvaluationAttemptLine {
  readonly line: 'attempt'
  readonly identity: Identity
  readonly outcome: Outcome['kind']
  readonly code: string
}

/** A process of evaluation was sent SIGKILL. */
export interface KillLine {
  readonly line: 'kill'
  /** Milliseconds since 1970. */
  readonly at: number
  readonly pid: number
  /** Calls that the judge held open then, of all processes together. */
  readonly open: number
}

/** The group's offsets were set back. */
export interface DeliveredAgainLine {
  readonly line: 'delivered_again'
  readonly messages: number
}

/** A rule and its evaluator: what it plans is one run for a decision. */
export interface PlannedBy {
  readonly rule_id: string
  readonly evaluator_id: string
}

/** Where things went, and by which rules; the first line. */
export interface EvaluationRunLine {
  readonly line: 'evaluation_run'
  readonly fault: string
  readonly decisionsTopic: string
  readonly evaluationsTopic: string
  /** Run for every decision, within the batch. */
  readonly offline: readonly PlannedBy[]
  /** Run for the decisions that the hash takes. */
  readonly judged: PlannedBy & { readonly rate: number; readonly cohort: string }
}

export type EvaluationLine =
  EvaluationAttemptLine | KillLine | DeliveredAgainLine | EvaluationRunLine
