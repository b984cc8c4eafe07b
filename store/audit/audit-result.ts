/** Classifies a settled message by the state of its decision in Postgres. */
import type { Decision } from '../../core/decision/decision.ts'
import { fingerprintOf } from '../../core/decision/fingerprint.ts'
import { isOfSpan } from '../../core/decision/of-span.ts'

/** All outcomes, in print order. */
export const auditOutcomes = [
  'stored',
  'duplicate',
  'conflict',
  'dead_lettered',
  'erased',
  'in_flight',
  'missing'
] as const
export type AuditOutcome = (typeof auditOutcomes)[number]

/**
 * Reason why a message is missing. `docs/guides/operations/audit.md` lists a remedy for each
 * reason.
 */
export type MissingReason =
  /** Postgres has neither the identity nor the row. */
  | 'not_stored'
  /** Postgres has the identity but not the row. */
  | 'row_gone'
  /** Another decision has the ID, and no dead-letter record reports the conflict. */
  | 'conflict_not_reported'
  /** The message cannot be decoded, and no dead-letter record reports it. */
  | 'undecodable_not_reported'

export interface MissingRecord {
  readonly partition: number
  readonly offset: number
  readonly why: MissingReason
  /** Absent if the message cannot be decoded. */
  readonly organization_id?: string
  readonly decision_id?: string
}

export type AuditResult =
  | { readonly outcome: Exclude<AuditOutcome, 'missing'> }
  | { readonly outcome: 'missing'; readonly why: MissingReason }

/** State of a decision in Postgres. */
export interface StoredState {
  /** Null if the identity does not exist. */
  readonly identity: {
    readonly fingerprint: Buffer
    readonly received_at: Date
    readonly isErased: boolean
  } | null
  readonly hasRow: boolean
  /** Whether an erasure covers the decision. Looked up only if the identity does not exist. */
  readonly isErasureRequested: boolean
}

interface ClassifyContext {
  readonly state: StoredState
  /** Start of the oldest day that retention has kept, or null if there is no day partition. */
  readonly keptFrom: Date | null
  /** Returns true if this audit has not seen the identity before. */
  readonly isFirst: () => boolean
}

export function classify(
  decision: Decision,
  { state, keptFrom, isFirst }: ClassifyContext
): AuditResult {
  const { identity, hasRow, isErasureRequested } = state
  if (identity === null) {
    return isErasureRequested ? { outcome: 'erased' } : { outcome: 'missing', why: 'not_stored' }
  }
  if (identity.isErased) return { outcome: 'erased' }
  if (!identity.fingerprint.equals(fingerprintOf(decision))) {
    // Another decision of the same span is stored.
    if (isOfSpan(decision)) return { outcome: 'duplicate' }
    return { outcome: 'missing', why: 'conflict_not_reported' }
  }
  if (hasRow) return { outcome: isFirst() ? 'stored' : 'duplicate' }
  const isDropped = keptFrom !== null && identity.received_at < keptFrom
  return isDropped ? { outcome: 'erased' } : { outcome: 'missing', why: 'row_gone' }
}
