/** What a caller logs: one decision of an agent. */

/** What decisions share; of two, the inner or later one wins, and `metadata` is merged. */
export interface DecisionContext {
  readonly agentId?: string | null | undefined
  readonly sessionId?: string | null | undefined
  readonly domain?: string | null | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined
}

export interface DecisionInput extends DecisionContext {
  /** Any value, null included. */
  readonly input: unknown
  /** A text; anything else is sent as its JSON text. */
  readonly output: unknown
  readonly inputTokens?: number | null | undefined
  readonly outputTokens?: number | null | undefined
  /** A UUID of your own: the same one is never stored twice. */
  readonly decisionId?: string | null | undefined
}
