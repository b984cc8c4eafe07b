/** SQL that finds the decisions of an agent, or those that name none. */
import { textCondition } from '../../../platform/postgres/text-condition.ts'

/**
 * @param agentId as it is stored; empty for the decisions that name none
 * @param parameter takes a value, answers the place of it in the statement
 */
export function agentCondition(agentId: string, parameter: (value: unknown) => string): string {
  if (agentId === '') return 'agent_id is null'
  return textCondition('agent_id', agentId, parameter(agentId))
}
