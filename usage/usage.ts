/** Usage: defines the counters of API key uses and of rejected decisions by organization, agent and
 * reason.
 */
import type { ProblemCode } from '../core/problem.ts'
import type { KeyPrincipal } from '../core/principal.ts'

/** Reason why an SDK dropped a decision, from a closed list. */
export type DropReason = string

/** When and from where a key was used. */
export interface KeyUse {
  /** Milliseconds since 1970. */
  readonly at: number
  /** IP address; null if the caller had already disconnected. */
  readonly address: string | null
  readonly sdk_version: string | null
}

/** Counts of the decisions sent with one key. Callers increment them directly. */
export interface KeyCounters {
  readonly organization_id: string
  accepted: number
  readonly rejected: Map<ProblemCode, number>
  readonly dropped: Map<DropReason, number>
  /** First use since the last drain; null if there was none. */
  use: KeyUse | null
}

/** Counts of the rejected and dropped decisions of one agent. */
export interface AgentCounters {
  readonly rejected: Map<ProblemCode, number>
  readonly dropped: Map<DropReason, number>
}

/** A request with a known key that was rejected as a whole or in part. */
export interface RejectedAttempt {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly key_id: string
  readonly status: number
  readonly code: ProblemCode
  /** At most 200 characters. Contains nothing from the payload except property names. */
  readonly detail: string
  /** JSON pointer to the first error in a decision; null if there is none. */
  readonly pointer: string | null
  readonly agent_id: string | null
  readonly sdk_version: string | null
  readonly request_id: string
}

export interface OrganizationCounters {
  /** Counters by agent_id. The key is empty for decisions without an agent. */
  readonly agents: Map<string, AgentCounters>
  /** Latest attempts, oldest first. */
  readonly attempts: RejectedAttempt[]
}

export interface DrainedUsage {
  readonly keys: ReadonlyMap<string, KeyCounters>
  readonly organizations: ReadonlyMap<string, OrganizationCounters>
}

/** Counters that ingest increments. */
export interface UsageCounters {
  keyOf(principal: KeyPrincipal): KeyCounters
  /** @param agentId null if the agent is unknown */
  rejected(principal: KeyPrincipal, agentId: string | null, code: ProblemCode): void
  dropped(
    principal: KeyPrincipal,
    agentId: string | null,
    drops: readonly (readonly [DropReason, number])[]
  ): void
  addAttempt(principal: KeyPrincipal, attempt: RejectedAttempt): void
}
