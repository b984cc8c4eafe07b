/** What only a gateway knows: which keys are used, and what was refused, of whom and why. */
import type { ProblemCode } from '../core/problem.ts'
import type { KeyPrincipal } from '../core/principal.ts'

/** Why an SDK dropped what it was given, of a closed list. */
export type DropReason = string

/** Who used a key. */
export interface KeyUse {
  /** Milliseconds since 1970. */
  readonly at: number
  /** An IP address; null when the caller had hung up. */
  readonly address: string | null
  readonly sdk_version: string | null
}

/** Decisions of one key; whoever holds it adds to it. */
export interface KeyFacts {
  readonly organization_id: string
  accepted: number
  readonly rejected: Map<ProblemCode, number>
  readonly dropped: Map<DropReason, number>
  /** The first use since the last drain; null until then. */
  use: KeyUse | null
}

/** Decisions of one agent that did not get in. */
export interface AgentFacts {
  readonly rejected: Map<ProblemCode, number>
  readonly dropped: Map<DropReason, number>
}

/** A request of a known key that was refused, as a whole or in part. */
export interface RefusedAttempt {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly key_id: string
  readonly status: number
  readonly code: ProblemCode
  /** At most 200 characters, without anything of the payload but names of its members. */
  readonly detail: string
  /** JSON pointer of the first thing that is wrong with a decision; null where there is none. */
  readonly pointer: string | null
  readonly agent_id: string | null
  readonly sdk_version: string | null
  readonly request_id: string
}

export interface OrganizationFacts {
  /** By agent_id; the empty one are decisions that name none. */
  readonly agents: Map<string, AgentFacts>
  /** The last ones, oldest first. */
  readonly attempts: RefusedAttempt[]
}

export interface DrainedFacts {
  readonly keys: ReadonlyMap<string, KeyFacts>
  readonly organizations: ReadonlyMap<string, OrganizationFacts>
}

/** What the line of ingest notes, as it goes. */
export interface Facts {
  keyOf(principal: KeyPrincipal): KeyFacts
  /** @param agentId null when nobody knows whose decisions they are. */
  rejected(principal: KeyPrincipal, agentId: string | null, code: ProblemCode): void
  dropped(
    principal: KeyPrincipal,
    agentId: string | null,
    drops: readonly (readonly [DropReason, number])[]
  ): void
  refused(principal: KeyPrincipal, attempt: RefusedAttempt): void
}
