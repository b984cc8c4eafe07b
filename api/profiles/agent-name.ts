/** How the API names an agent: by its id, and the decisions that name none by a word of ours. */

/** Under which the decisions without an agent are found. */
export const unattributed = '_unattributed'
const reserved = /^_+unattributed$/

/** An agent that is really called like our word is told apart by one more `_`. */
export function agentNameOf(agentId: string): string {
  if (agentId === '') return unattributed
  return reserved.test(agentId) ? `_${agentId}` : agentId
}

/** @returns the id as it is stored; empty for the decisions that name none. */
export function agentIdOf(name: string): string {
  if (name === unattributed) return ''
  return reserved.test(name) ? name.slice(1) : name
}
