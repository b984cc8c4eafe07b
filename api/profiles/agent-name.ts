/** Converts between stored agent ids and the agent names that the API uses. Decisions without an
 * agent have the name `_unattributed`.
 */

/** Name for decisions without an agent. */
export const unattributed = '_unattributed'
const reserved = /^_+unattributed$/

/**
 * Returns the name of an agent. Ids that consist of underscores followed by `unattributed` get
 * another leading `_`, to distinguish them from the name for decisions without an agent.
 */
export function agentNameOf(agentId: string): string {
  if (agentId === '') return unattributed
  return reserved.test(agentId) ? `_${agentId}` : agentId
}

/** Returns the stored agent id for a name: empty for decisions without an agent. */
export function agentIdOf(name: string): string {
  if (name === unattributed) return ''
  return reserved.test(name) ? name.slice(1) : name
}
