/** A decision: what an agent was given and what it answered, in the shape every room shares. */

/** Field names are those of the HTTP body, the Avro record and the table, so nothing is renamed. */
export interface Decision {
  /** UUID in lower case; with `organization_id` the decision's identity. */
  readonly decision_id: string
  readonly organization_id: string
  /** Milliseconds since 1970, by the gateway's clock. */
  readonly received_at: number
  /**
   * JSON text exactly as sent, never re-serialised: numbers keep their digits, keys their order.
   */
  readonly input: string
  readonly output: string
  readonly agent_id: string | null
  readonly session_id: string | null
  readonly domain: string | null
  /** JSON text of an object, exactly as sent. */
  readonly metadata: string | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly sdk_version: string | null
}

export type DecisionIdentity = Pick<Decision, 'organization_id' | 'decision_id'>

/** The identity as one text: unique, and short to compare. */
export function identityNameOf({ organization_id, decision_id }: DecisionIdentity): string {
  return `${organization_id}/${decision_id}`
}

/**
 * The record's key: decisions of an agent stay in order in one partition, and so do the copies of a
 * decision that is sent again. An empty text is not used as a key, because all such decisions would
 * be in one partition.
 */
export function keyOf(decision: Pick<Decision, 'agent_id' | 'session_id' | 'decision_id'>): string {
  return decision.agent_id || decision.session_id || decision.decision_id
}
