/** Defines the lines of a storage ledger, each a JSON object for one event. */
import type { AttemptOutcome } from '../ledger.ts'
import type { Kind } from '../sample.ts'

/** `organization_id/decision_id`. */
export type Identity = string

/** Outcome of one decision in one request. */
export interface AttemptLine {
  readonly line: 'attempt'
  readonly identity: Identity
  /** Hash of the content. Different content can be sent with the same id. */
  readonly fingerprint: string
  readonly sent: Kind
  readonly outcome: AttemptOutcome['kind']
  /** Problem code; empty if acknowledged. */
  readonly code: string
}

/** A poison record was written and acknowledged by the broker. */
interface PoisonLine {
  readonly line: 'poison'
  /** Id of the poison record, which is also in its headers. */
  readonly poisonId: string
  readonly kind: string
  /** Hash of key, value and headers. */
  readonly hash: string
}

/** The committed offset of a partition changed. */
export interface CommittedLine {
  readonly line: 'committed'
  readonly partition: number
  readonly offset: number
}

/** First line of the ledger: the topics of the run. */
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
