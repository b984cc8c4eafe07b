/** The agent that a path names, and how far storage has come. */
import type { Clock } from '../../core/clock.ts'
import type { OrganizationStore } from '../store.ts'
import { lagOf } from '../watermark.ts'
import { agentIdOf } from './agent-name.ts'
import { agentNotFound, recordColumns, recordTables } from './agent-record.ts'
import type { AgentRecord } from './agent-record.ts'

export interface FoundAgent {
  readonly record: AgentRecord
  readonly lag: ReturnType<typeof lagOf>
  /** Until when it is known what the agent did: storage may be behind. */
  readonly knownUntil: number
}

export interface FindAgentDependencies {
  readonly decisionsTopic: string
  readonly clock: Clock
}

/** @throws {Problem} 404 */
export async function findAgent(
  store: OrganizationStore,
  name: string,
  { decisionsTopic, clock }: FindAgentDependencies
): Promise<FoundAgent> {
  const [record] = await store.query<AgentRecord & { as_of: Date | null }>(
    `select ${recordColumns},
            (select nullif(min(as_of), 'epoch') from storage_progress where topic = $3) as as_of
       from ${recordTables}
      where a.organization_id = $1
        and a.agent_id = $2`,
    [store.organizationId, agentIdOf(name), decisionsTopic]
  )
  if (record === undefined) throw agentNotFound()
  const now = clock.now()
  const knownUntil = Math.min(now, record.as_of?.getTime() ?? now)
  return { record, lag: lagOf({ as_of: record.as_of }, clock), knownUntil }
}
