/** Defines the result of a claim: a run leased to this process, a run that ended without a call,
 * or nothing to do.
 */
import type { Decision } from '../../../core/decision/decision.ts'
import type { EvaluatorVersion } from '../../../core/evaluation/evaluator-definition.ts'
import type { ConnectionToCall } from './judge-outcome.ts'
import type { PendingRun } from './pending-run.ts'

/** A run that no other process may execute or end until the lease expires. */
export interface ClaimedRun {
  /** The run after the claim was written. */
  readonly run: PendingRun
  readonly token: string
  readonly attempt: number
  readonly decision: Decision
  readonly version: EvaluatorVersion
  /** Null for a run that needs no network. */
  readonly connection: ConnectionToCall | null
}

/**
 * Result of a claim.
 * - `done`: there is nothing to do now, or another process has the run.
 * - `ended`: the run ended without a call and must be published.
 * - `claimed`: the run is leased to this process.
 */
export type Claim =
  | { readonly kind: 'done' }
  | { readonly kind: 'ended'; readonly run: PendingRun }
  | { readonly kind: 'claimed'; readonly claimed: ClaimedRun }
