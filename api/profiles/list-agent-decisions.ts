/** GET /v1/profiles/:agent_id/decisions: the list of decisions, of one agent alone. */
import type { SessionHandle } from '../../http/route.ts'
import { unattributed } from './agent-name.ts'
import { findAgent } from './find-agent.ts'
import type { ProfileDependencies } from './read-profile.ts'

export interface ListAgentDecisionsDependencies extends ProfileDependencies {
  readonly listDecisions: SessionHandle
}

export function createListAgentDecisions(
  dependencies: ListAgentDecisionsDependencies
): SessionHandle {
  const { store, listDecisions } = dependencies

  return async function listAgentDecisions(call) {
    const ours = store.of(call.principal.organization_id)
    const { record } = await findAgent(ours, call.params['agent_id'] ?? '', dependencies)
    const agent_id = record.agent_id === '' ? unattributed : record.agent_id
    return listDecisions({ ...call, query: { ...call.query, agent_id } })
  }
}
