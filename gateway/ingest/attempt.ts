/** What is known of a request on its way; each step of the line fills in its part. */
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
  /** How much text each of them has. */
  sizes: readonly number[]
  /** The ids that the caller gave, as far as they are known; null for the others. */
  ids: readonly (string | null)[]
  decisions: readonly Item<Decision>[]
}
