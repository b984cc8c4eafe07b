/** Usage counters: keeps counts in memory until they are drained; see flush-usage.ts.
 *
 * Counting is an addition, so it cannot fail and never waits. A caller can name any number of
 * agents, so every map has a limit. Entries above the limit are dropped, and a metric counts them.
 */
import type { KeyPrincipal } from '../core/principal.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import type { AgentCounters, DrainedUsage, UsageCounters, KeyCounters } from './usage.ts'
import type { OrganizationCounters, RejectedAttempt } from './usage.ts'

export interface DrainableUsageCounters extends UsageCounters {
  /** Returns the counts since the last drain and resets them. */
  drain(): DrainedUsage
}

/** Maximum number of rejected attempts kept per organization. */
export const attemptsMax = 20
/**
 * Maximum numbers of keys, organizations, agents and rejected attempts that the process keeps
 * between two drains.
 */
export const keysMax = 20_000
export const organizationsMax = 5000
export const agentsMax = 5000
export const attemptsOfAllMax = 2000

export function createUsageCounters({ metrics }: { metrics: Metrics }): DrainableUsageCounters {
  const countDropped: CountDropped = (kind) => metrics.count('sluice_usage_dropped_total', { kind })
  let interval = createInterval(countDropped)

  return {
    keyOf: (principal) => interval.keyOf(principal),

    rejected: (principal, agentId, code) => {
      add(interval.keyOf(principal).rejected, code, 1)
      const agent = agentId === null ? null : interval.agentOf(principal.organization_id, agentId)
      if (agent !== null) add(agent.rejected, code, 1)
    },

    dropped: (principal, agentId, drops) => {
      const key = interval.keyOf(principal)
      const agent = agentId === null ? null : interval.agentOf(principal.organization_id, agentId)
      for (const [reason, count] of drops) {
        add(key.dropped, reason, count)
        if (agent !== null) add(agent.dropped, reason, count)
      }
    },

    addAttempt: ({ organization_id }, attempt) => interval.addAttempt(organization_id, attempt),

    drain: () => {
      const { drained } = interval
      interval = createInterval(countDropped)
      return drained
    }
  }
}

type CountDropped = (kind: 'key' | 'agent' | 'attempt') => void

/** Creates the counters for the interval until the next drain. */
function createInterval(countDropped: CountDropped) {
  const keys = new Map<string, KeyCounters>()
  const organizations = new Map<string, OrganizationCounters>()
  let agents = 0
  let attempts = 0

  /**
   * Opens the counters of a key. If the limit is reached, returns counters that are never drained.
   */
  function openKey({ key_id, organization_id }: KeyPrincipal): KeyCounters {
    const key = { organization_id, accepted: 0, ...createAgentCounters(), use: null }
    if (keys.size < keysMax) keys.set(key_id, key)
    else countDropped('key')
    return key
  }

  function organizationOf(organizationId: string): OrganizationCounters | null {
    const known = organizations.get(organizationId)
    if (known !== undefined) return known
    if (organizations.size >= organizationsMax) return null
    const organization = { agents: new Map<string, AgentCounters>(), attempts: [] }
    organizations.set(organizationId, organization)
    return organization
  }

  function agentOf(organizationId: string, agentId: string): AgentCounters | null {
    const organization = organizationOf(organizationId)
    const known = organization?.agents.get(agentId)
    if (known !== undefined) return known
    if (organization === null || agents >= agentsMax) {
      countDropped('agent')
      return null
    }
    const agent = createAgentCounters()
    organization.agents.set(agentId, agent)
    agents += 1
    return agent
  }

  function addAttempt(organizationId: string, attempt: RejectedAttempt): void {
    const kept = organizationOf(organizationId)?.attempts ?? null
    if (kept?.length === attemptsMax) kept.shift()
    else if (kept !== null && attempts < attemptsOfAllMax) attempts += 1
    else return countDropped('attempt')
    kept.push(attempt)
  }

  return {
    keyOf: (principal: KeyPrincipal) => keys.get(principal.key_id) ?? openKey(principal),
    agentOf,
    addAttempt,
    drained: { keys, organizations }
  }
}

function createAgentCounters(): AgentCounters {
  return { rejected: new Map(), dropped: new Map() }
}

function add<Name>(counts: Map<Name, number>, name: Name, by: number): void {
  counts.set(name, (counts.get(name) ?? 0) + by)
}
