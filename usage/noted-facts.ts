/** Facts, counted in memory until somebody takes them away; see flush-facts.ts.
 *
 * Noting is an addition, and can neither fail nor wait. A caller may name as many agents as he
 * likes, so there is a limit to everything, and what is beyond it is left out and counted as that.
 */
import type { KeyPrincipal } from '../core/principal.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import type { AgentFacts, DrainedFacts, Facts, KeyFacts } from './facts.ts'
import type { OrganizationFacts, RefusedAttempt } from './facts.ts'

export interface NotedFacts extends Facts {
  /** Everything since the last time, which is forgotten here. */
  drain(): DrainedFacts
}

/** Of one organization. */
export const attemptsMax = 20
/** Of all together, between two drains. */
export const keysMax = 20_000
export const organizationsMax = 5000
export const agentsMax = 5000
export const attemptsOfAllMax = 2000

export function createNotedFacts({ metrics }: { metrics: Metrics }): NotedFacts {
  const leaveOut: LeaveOut = (kind) => metrics.count('sluice_facts_left_out_total', { kind })
  let noted = createInterval(leaveOut)

  return {
    keyOf: (principal) => noted.keyOf(principal),

    rejected: (principal, agentId, code) => {
      add(noted.keyOf(principal).rejected, code, 1)
      const agent = agentId === null ? null : noted.agentOf(principal.organization_id, agentId)
      if (agent !== null) add(agent.rejected, code, 1)
    },

    dropped: (principal, agentId, drops) => {
      const key = noted.keyOf(principal)
      const agent = agentId === null ? null : noted.agentOf(principal.organization_id, agentId)
      for (const [reason, count] of drops) {
        add(key.dropped, reason, count)
        if (agent !== null) add(agent.dropped, reason, count)
      }
    },

    refused: ({ organization_id }, attempt) => noted.addAttempt(organization_id, attempt),

    drain: () => {
      const { drained } = noted
      noted = createInterval(leaveOut)
      return drained
    }
  }
}

type LeaveOut = (kind: 'key' | 'agent' | 'attempt') => void

/** From one drain to the next. */
function createInterval(leaveOut: LeaveOut) {
  const keys = new Map<string, KeyFacts>()
  const organizations = new Map<string, OrganizationFacts>()
  let agents = 0
  let attempts = 0

  /** Beyond the limit the caller adds to what nobody reads. */
  function openKey({ key_id, organization_id }: KeyPrincipal): KeyFacts {
    const key = { organization_id, accepted: 0, ...createRefusals(), use: null }
    if (keys.size < keysMax) keys.set(key_id, key)
    else leaveOut('key')
    return key
  }

  function organizationOf(organizationId: string): OrganizationFacts | null {
    const known = organizations.get(organizationId)
    if (known !== undefined) return known
    if (organizations.size >= organizationsMax) return null
    const organization = { agents: new Map<string, AgentFacts>(), attempts: [] }
    organizations.set(organizationId, organization)
    return organization
  }

  function agentOf(organizationId: string, agentId: string): AgentFacts | null {
    const organization = organizationOf(organizationId)
    const known = organization?.agents.get(agentId)
    if (known !== undefined) return known
    if (organization === null || agents >= agentsMax) {
      leaveOut('agent')
      return null
    }
    const agent = createRefusals()
    organization.agents.set(agentId, agent)
    agents += 1
    return agent
  }

  function addAttempt(organizationId: string, attempt: RefusedAttempt): void {
    const kept = organizationOf(organizationId)?.attempts ?? null
    if (kept?.length === attemptsMax) kept.shift()
    else if (kept !== null && attempts < attemptsOfAllMax) attempts += 1
    else return leaveOut('attempt')
    kept.push(attempt)
  }

  return {
    keyOf: (principal: KeyPrincipal) => keys.get(principal.key_id) ?? openKey(principal),
    agentOf,
    addAttempt,
    drained: { keys, organizations }
  }
}

function createRefusals(): AgentFacts {
  return { rejected: new Map(), dropped: new Map() }
}

function add<Name>(counts: Map<Name, number>, name: Name, by: number): void {
  counts.set(name, (counts.get(name) ?? 0) + by)
}
