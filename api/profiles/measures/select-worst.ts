/** The newest decisions of an agent that failed, and by which scores. */
import { scoresSql } from '../../../store/packed-sql.ts'
import type { Row } from '../../../platform/postgres/postgres.ts'
import type { HourRange } from '../../stats/hour-range.ts'
import type { OrganizationStore } from '../../store.ts'

export interface WorstRow extends Row {
  readonly decision_id: string
  readonly received_at: Date
  readonly session_id: string | null
  readonly domain: string | null
  readonly status: string
  readonly verdict: string
  readonly scores: Readonly<Record<string, { readonly passed?: boolean | null }>>
}

export const worstMax = 10

/** The sums say in which hours there are any, so that nothing else is read. */
export async function selectWorst(
  store: OrganizationStore,
  agentId: string,
  { from, to }: HourRange
): Promise<readonly WorstRow[]> {
  return await store.query<WorstRow>(
    `with failed as materialized (
       select hour
         from outcome_hours
        where organization_id = $1
          and agent_id = $2
          and hour >= $3
          and hour < $4
          and verdict = 'fail'
          and decisions > 0
        group by hour
        order by hour desc
        limit ${worstMax}
     )
     select worst.*
       from failed
      cross join lateral (
        select decision_id, received_at, session_id, domain, status, verdict,
               ${scoresSql} as scores
          from evaluations e
         where organization_id = $1
           and received_at >= failed.hour
           and received_at < failed.hour + interval '1 hour'
           and verdict <> 'pass'
           and verdict = 'fail'
           and coalesce(agent_id, '') = $2
         order by received_at desc, decision_id desc
         limit ${worstMax}) worst
      order by worst.received_at desc, worst.decision_id desc
      limit ${worstMax}`,
    [store.organizationId, agentId, new Date(from).toISOString(), new Date(to).toISOString()]
  )
}

export function worstView({ received_at, scores, ...row }: WorstRow) {
  const failed = Object.entries(scores).filter(([, score]) => score.passed === false)
  return {
    ...row,
    received_at: received_at.toISOString(),
    failed_scores: failed.map(([name]) => name)
  }
}
