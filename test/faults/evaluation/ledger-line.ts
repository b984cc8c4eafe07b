/** Defines the lines of an evaluation ledger, each a JSON object for one event. */
import type { AttemptOutcome } from '../ledger.ts'
import type { Identity } from '../storage/ledger-line.ts'

/** Outcome of one decision in one request. */
interface EvaluationAttemptLine {
  readonly line: 'attempt'
  readonly identity: Identity
  readonly outcome: AttemptOutcome['kind']
  readonly code: string
}

/** An evaluation process was killed with SIGKILL. */
interface KillLine {
  readonly line: 'kill'
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly pid: number
  /** Number of judge calls in progress, across all processes. */
  readonly open: number
}

/** The consumer group's offsets were rewound. */
interface RedeliveredLine {
  readonly line: 'redelivered'
  readonly messages: number
}

/** Rule and evaluator that together produce one run per decision. */
export interface PlannedBy {
  readonly rule_id: string
  readonly evaluator_id: string
}

/** First line of the ledger: the topics and rules of the run. */
export interface EvaluationRunLine {
  readonly line: 'evaluation_run'
  readonly fault: string
  readonly decisionsTopic: string
  readonly evaluationsTopic: string
  /** Rules that apply to every decision. */
  readonly offline: readonly PlannedBy[]
  /** Judge rule, which applies to a sample of decisions. */
  readonly judged: PlannedBy & { readonly rate: number; readonly cohort: string }
}

export type EvaluationLine = EvaluationAttemptLine | KillLine | RedeliveredLine | EvaluationRunLine
