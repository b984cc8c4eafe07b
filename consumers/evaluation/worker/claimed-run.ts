/** What a claim comes to: a run that is ours for a while, or why there is none. */
import type { Decision } from '../../../core/decision/decision.ts'
import type { EvaluatorVersion } from '../../../core/evaluation/evaluator-definition.ts'
import type { JudgeConnection } from './judge-outcome.ts'
import type { OpenRun } from './open-run.ts'

/** A run that nobody else may call or end until the lease is over. */
export interface ClaimedRun {
  /** As it is by now. */
  readonly run: OpenRun
  readonly token: string
  readonly attempt: number
  readonly decision: Decision
  readonly version: EvaluatorVersion
  /** Null for a run that needs no network. */
  readonly connection: JudgeConnection | null
}

/**
 * `done`: there is nothing to do, or somebody else does it. `later`: it is not its time.
 * `ended`: it ended without a call, and is to be published.
 */
export type Claim =
  | { readonly kind: 'done' }
  | { readonly kind: 'later'; readonly at: Date }
  | {
      readonly kind: 'ended'
      readonly run: OpenRun
      /** False when it had ended before, and was not published. */
      readonly isNew: boolean
    }
  | { readonly kind: 'claimed'; readonly claimed: ClaimedRun }
