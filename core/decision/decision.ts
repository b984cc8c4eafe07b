/** Decision: the input and output of an agent, in the form that all modules share. */

/** The fields have the same names in the HTTP body, the Avro record and the database table. */
export interface Decision {
  /** Lowercase UUID. Identifies the decision together with `organization_id`. */
  readonly decision_id: string
  readonly organization_id: string
  /** Milliseconds since 1970, from the gateway's clock. */
  readonly received_at: number
  /**
   * JSON text exactly as sent, never re-serialized: numbers keep their digits and keys their order.
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

/** Returns the identity as a single string, which is cheap to compare. */
export function identityNameOf({ organization_id, decision_id }: DecisionIdentity): string {
  return `${organization_id}/${decision_id}`
}

/**
 * Returns the key of the Kafka record: the agent, else the session, else the decision. The key
 * keeps the decisions of an agent, and the retries of a decision, in order within one partition.
 * Empty ids are skipped, because they would put unrelated decisions into one partition.
 */
export function keyOf(decision: Pick<Decision, 'agent_id' | 'session_id' | 'decision_id'>): string {
  return decision.agent_id || decision.session_id || decision.decision_id
}
