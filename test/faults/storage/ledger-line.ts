/** What a storage run writes down while it goes on, one line of JSON for each thing it knows. */
import type { Outcome } from '../ledger.ts'
import type { Kind } from '../sample.ts'

/** A decision as it is told apart: `organization/decision`. */
export type Identity = string

/** One decision in one request, and what the caller was told of it. */
export interface AttemptLine {
  readonly line: 'attempt'
  readonly identity: Identity
  /** Of the content: the same id may be sent with another one. */
  readonly fingerprint: string
  readonly sent: Kind
  readonly outcome: Outcome['kind']
  /** The code of a refusal; empty when acknowledged. */
  readonly code: string
}

/** A record that nobody can store, written past the gateway and acknowledged by the broker. */
export interface PoisonLine {
  readonly line: 'poison'
  /** Also a header of the record. */
  readonly poisonId: string
  readonly kind: string
  /** Of key, value and headers. */
  readonly hash: string
}

/** What the group had committed when somebody looked; only changes are written. */
export interface CommittedLine {
  readonly line: 'committed'
  readonly partition: number
  readonly offset: number
}

/** Where the decisions went; the first line. */
export interface RunLine {
  readonly line: 'run'
  readonly fault: string
  readonly decisionsTopic: string
  readonly deadLetterTopic: string
}

export type LedgerLine = AttemptLine | PoisonLine | CommittedLine | RunLine

export function identityOf(organizationId: string, decisionId: string): Identity {
  return `${organizationId}/${decisionId}`
}
