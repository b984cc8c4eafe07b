/** What became of one settled message, from what the tables and the dead letters say of it. */
import type { Decision } from '../../core/decision/decision.ts'
import { fingerprintOf } from '../../core/decision/fingerprint.ts'

export type Outcome =
  'stored' | 'duplicate' | 'conflict' | 'dead_lettered' | 'erased' | 'in_flight' | 'missing'

/** Why a message is missing; `docs/operations.md` says what to do about each. */
export type MissingWhy =
  /** Neither its identity nor its row is there. */
  | 'not_stored'
  /** Its identity is there, and its row is gone. */
  | 'row_gone'
  /** Its id belongs to another decision, and no dead letter says so. */
  | 'conflict_untold'
  /** It cannot be decoded, and no dead letter says so. */
  | 'undecodable_untold'

export type Verdict =
  | { readonly outcome: Exclude<Outcome, 'missing' | 'in_flight'> }
  | { readonly outcome: 'missing'; readonly why: MissingWhy }

/** What Postgres says of a decision. */
export interface StoredFacts {
  /** Null when the identity is not there. */
  readonly identity: {
    readonly fingerprint: Buffer
    readonly received_at: Date
    readonly isErased: boolean
  } | null
  readonly hasRow: boolean
  /** Whether somebody asked to erase it; not looked up where there is an identity. */
  readonly isErasureAsked: boolean
}

export interface Judging {
  readonly facts: StoredFacts
  /** Days before it were dropped by retention; null when none were. */
  readonly keptFrom: Date | null
  /** Whether this audit has not met the identity before. */
  readonly isFirst: () => boolean
}

export function judge(decision: Decision, { facts, keptFrom, isFirst }: Judging): Verdict {
  const { identity, hasRow, isErasureAsked } = facts
  if (identity === null) {
    return isErasureAsked ? { outcome: 'erased' } : { outcome: 'missing', why: 'not_stored' }
  }
  if (identity.isErased) return { outcome: 'erased' }
  if (!identity.fingerprint.equals(fingerprintOf(decision))) {
    return { outcome: 'missing', why: 'conflict_untold' }
  }
  if (hasRow) return { outcome: isFirst() ? 'stored' : 'duplicate' }
  const isDropped = keptFrom !== null && identity.received_at < keptFrom
  return isDropped ? { outcome: 'erased' } : { outcome: 'missing', why: 'row_gone' }
}
