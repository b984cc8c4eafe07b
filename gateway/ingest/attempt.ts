/** Attempt: holds the state of an ingest request. Each step of the ingest path fills in its part.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { KeyPrincipal } from '../../core/principal.ts'
import type { Call } from '../../http/call.ts'
import type { DecisionBatch } from './decision-batch.ts'
import type { Quota } from './limit-rate.ts'

export interface Attempt {
  readonly call: Call
  principal: KeyPrincipal | null
  quota: Quota | null
  batch: DecisionBatch | null
}

/** Returns the batch if the request has one decision, otherwise null. */
export function onlyOf({ batch }: Attempt): DecisionBatch | null {
  return batch?.count === 1 ? batch : null
}

/** What a request says about its decisions, apart from its body. */
export interface IngestRequest {
  readonly headers: IncomingHttpHeaders
  readonly principal: KeyPrincipal
  /** Returns the decision_id of a decision that names none, or null to generate one. */
  readonly idAt: (index: number) => string | null
  /** Returns the traceparent of a decision. Default: that of the headers, for each. */
  readonly traceparentAt?: (index: number) => string
}
