/** Erasure rules: determine which decisions are erased, including decisions that are not stored
 * yet.
 */

export type ErasureScope = 'decision' | 'session' | 'agent' | 'organization'

/** The columns of `erasures` that define what is erased. */
export interface ErasureRule {
  readonly organization_id: string
  readonly scope: ErasureScope
  /** The id of the decision, session or agent; null for the whole organization. */
  readonly subject: string | null
  /** Decisions received up to this time are erased. */
  readonly received_until: Date
}

/** The fields of decisions and evaluations that rules match. */
export interface ErasureSubject {
  readonly organization_id: string
  readonly decision_id: string
  readonly agent_id: string | null
  readonly session_id: string | null
  /** Milliseconds since 1970. */
  readonly received_at: number
}

/**
 * Key of the advisory lock that orders storage and erasure. A storing transaction holds the lock in
 * shared mode, and a new rule waits until all such transactions have ended. Each transaction
 * therefore either sees the rule or ends before the erasure begins.
 */
export const erasuresLockKey = 7_213_905_416

/** @returns a function that checks whether any of the rules covers a subject */
export function createIsErased(rules: readonly ErasureRule[]) {
  const untils = new Map<string, number>()
  for (const { organization_id, scope, subject, received_until } of rules) {
    const name = nameOf(organization_id, scope, subject)
    untils.set(name, Math.max(untils.get(name) ?? 0, received_until.getTime()))
  }

  return function isErased(subject: ErasureSubject): boolean {
    if (untils.size === 0) return false
    const { organization_id, decision_id, session_id, agent_id, received_at } = subject
    const names = [
      nameOf(organization_id, 'organization', null),
      nameOf(organization_id, 'decision', decision_id),
      ...(session_id === null ? [] : [nameOf(organization_id, 'session', session_id)]),
      ...(agent_id === null ? [] : [nameOf(organization_id, 'agent', agent_id)])
    ]
    return names.some((name) => received_at <= (untils.get(name) ?? Number.NEGATIVE_INFINITY))
  }
}

function nameOf(organizationId: string, scope: ErasureScope, subject: string | null): string {
  return `${organizationId}/${scope}/${subject ?? ''}`
}
