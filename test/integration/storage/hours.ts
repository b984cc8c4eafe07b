/** Holds the sums of the hours against the rows they are sums of. */
import type { Row, TestDatabase } from '../../support/database.ts'

/** @returns the hours in which the two differ; of one organization, or of all. */
export function hoursDiffer(
  database: TestDatabase,
  organizationId: string | null = null
): Promise<Row[]> {
  return database.query(
    `with summed as (
       select organization_id, date_trunc('hour', received_at, 'UTC') as hour,
              coalesce(agent_id, '') as agent_id, coalesce(domain, '') as domain,
              count(*) as decisions, coalesce(sum(input_tokens), 0) as input_tokens,
              coalesce(sum(output_tokens), 0) as output_tokens,
              count(input_tokens) as input_tokens_known, count(output_tokens) as output_tokens_known
         from decisions
        where $1::uuid is null or organization_id = $1
        group by 1, 2, 3, 4
     ),
     kept as (
       select * from decision_hours where $1::uuid is null or organization_id = $1
     )
     (select 'not kept' as wrong, * from (table summed except table kept) as missing)
     union all
     (select 'not so', * from (table kept except table summed) as foreign_hours)`,
    [organizationId]
  )
}
