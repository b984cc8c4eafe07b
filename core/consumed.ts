/** What a consumer made of one message: the closed list that `settle` acts on. */

export type Consumed =
  /** Done: stored or published now. */
  | { readonly kind: 'done' }
  /** Delivered before: the work is already there. */
  | { readonly kind: 'duplicate' }
  /** It was asked to be erased, before or after it came here: not stored, and never will be. */
  | { readonly kind: 'erased' }
  /** Exceeds the share of its organization: a row says that it is evaluated later. */
  | { readonly kind: 'deferred' }
  /** Will never succeed: the original bytes go to the dead-letter topic with this reason. */
  | DeadLetter

export interface DeadLetter {
  readonly kind: 'dead_letter'
  readonly reason: DeadLetterReason
  /** Which step of the line refused it: decode or store. */
  readonly step: string
  /** One sentence for the person who finds it; never the payload. */
  readonly error: string
}

export type DeadLetterReason =
  | 'empty_value'
  | 'wrong_wire_format'
  | 'unknown_schema'
  | 'undecodable'
  | 'invalid_decision'
  | 'refused_by_store'
  | 'id_conflict'

export const done: Consumed = Object.freeze({ kind: 'done' })
export const duplicate: Consumed = Object.freeze({ kind: 'duplicate' })
export const erased: Consumed = Object.freeze({ kind: 'erased' })
export const deferred: Consumed = Object.freeze({ kind: 'deferred' })

export function deadLetter(step: string, reason: DeadLetterReason, error: string): DeadLetter {
  return { kind: 'dead_letter', step, reason, error }
}

/** Thrown by a step when trying again may help: the store is away, the registry does not answer. */
export class TransientError extends Error {
  override readonly name = 'TransientError'
}

/**
 * Thrown by a step that finds a later member of the group at work on the partition: the batch is
 * over, nothing of it is written or committed, and whoever threw it has to join the group anew.
 */
export class FencedError extends Error {
  override readonly name = 'FencedError'
}
