/** Defines the fields of a decision as callers log it. */

/** Fields that several decisions can share. The innermost value wins; `metadata` is merged. */
export interface DecisionContext {
  readonly agentId?: string | null | undefined
  readonly sessionId?: string | null | undefined
  readonly domain?: string | null | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined
}

export interface DecisionInput extends DecisionContext {
  /** Any value, including null. */
  readonly input: unknown
  /** A string. Any other value except null is sent as JSON text. */
  readonly output: unknown
  readonly inputTokens?: number | null | undefined
  readonly outputTokens?: number | null | undefined
  /** Your own UUID; a decision with the same id is stored once. */
  readonly decisionId?: string | null | undefined
}
