/** What of an agent never became a decision: refused by the gateway, or dropped by its SDK. */
import type { ReadFacts } from '../../../usage/read-facts.ts'
import type { HourRange } from '../../stats/hour-range.ts'
import { dayMs, hourMs } from '../../stats/hour-range.ts'

/** It is noted for no longer. */
export const ingestionDaysMax = 7

export interface AgentIngestionQuery {
  readonly organizationId: string
  readonly agentId: string
  readonly range: HourRange
  readonly now: number
}

/** @returns null while it cannot be read: that is not the same as none */
export async function readIngestion(
  readFacts: Pick<ReadFacts, 'agentIngestion'>,
  { organizationId, agentId, range, now }: AgentIngestionQuery
) {
  const since = Math.max(range.from, Math.floor((now - ingestionDaysMax * dayMs) / hourMs) * hourMs)
  const found = await readFacts.agentIngestion(organizationId, agentId, since)
  if (found === null) return null
  const { rejected, dropped, hours } = found
  return {
    since: new Date(since).toISOString(),
    ...{ rejected, dropped },
    hours: hours.map(({ hour, ...counts }) => ({ t: new Date(hour).toISOString(), ...counts }))
  }
}
