/** Message outcome: the closed list of results that a consumer can report for a message. */

export type MessageOutcome =
  /** The message was stored or published. */
  | { readonly kind: 'done' }
  /** The message was already processed in an earlier delivery. */
  | { readonly kind: 'duplicate' }
  /**
   * The message is covered by an erasure, requested before or after its arrival, and is never
   * stored.
   */
  | { readonly kind: 'erased' }
  /**
   * The evaluation is deferred, because the organization exceeds its share or the batch exceeds its
   * time limit. A database row records the decision.
   */
  | { readonly kind: 'deferred' }
  /**
   * The message can never succeed. Its original bytes go to the dead-letter topic with this reason.
   */
  | DeadLetter

export interface DeadLetter {
  readonly kind: 'dead_letter'
  readonly reason: DeadLetterReason
  readonly step: DeadLetterStep
  /** One sentence for the operator, without the payload. */
  readonly error: string
}

/** Steps that can reject a message. */
export const deadLetterSteps = ['decode', 'store'] as const
type DeadLetterStep = (typeof deadLetterSteps)[number]

export type DeadLetterReason =
  | 'empty_value'
  | 'wrong_wire_format'
  | 'unknown_schema'
  | 'undecodable'
  | 'invalid_decision'
  | 'refused_by_store'
  | 'id_conflict'

export const done: MessageOutcome = Object.freeze({ kind: 'done' })
export const duplicate: MessageOutcome = Object.freeze({ kind: 'duplicate' })
export const erased: MessageOutcome = Object.freeze({ kind: 'erased' })
export const deferred: MessageOutcome = Object.freeze({ kind: 'deferred' })

export function deadLetter(
  step: DeadLetterStep,
  reason: DeadLetterReason,
  error: string
): DeadLetter {
  return { kind: 'dead_letter', step, reason, error }
}

/** Thrown by a step if a retry may succeed, for example because the database is unavailable. */
export class TransientError extends Error {
  override readonly name = 'TransientError'
}

/**
 * Thrown by a step if a newer member of the group already owns the partition. The batch is
 * abandoned: nothing is written or committed, and this member must rejoin the group.
 */
export class FencedError extends Error {
  override readonly name = 'FencedError'
}
