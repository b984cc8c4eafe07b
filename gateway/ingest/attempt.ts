/** Attempt: holds the state of an ingest request. Each step of the ingest path fills in its part.
 */
import type { Decision } from '../../core/decision/decision.ts'
import type { KeyPrincipal } from '../../core/principal.ts'
import type { Call } from '../../http/call.ts'
import type { Item } from './each.ts'
import type { Quota } from './limit-rate.ts'
import type { Submission } from './parse.ts'

export interface Attempt {
  readonly call: Call
  principal: KeyPrincipal | null
  submission: Submission | null
  decision: Decision | null
  quota: Quota | null
}

export interface BatchAttempt extends Attempt {
  items: readonly Item<Submission>[]
  /** Length of each item's text, in characters, or in bytes for JSON lines. */
  sizes: readonly number[]
  /**
   * The decision_id of each item, from the item itself or from the Idempotency-Key header; null if
   * neither determines it.
   */
  ids: readonly (string | null)[]
  decisions: readonly Item<Decision>[]
}
