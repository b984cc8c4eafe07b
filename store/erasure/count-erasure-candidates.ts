/** Counts the rows that an erasure would delete. */
import type { ErasureRule } from '../../core/decision/erasure.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { candidateRows } from './find-erasure-candidates.ts'

export interface ErasureCounts {
  readonly decisions: number
  readonly evaluation_runs: number
  readonly scores: number
}

type Results = 'evaluation_runs' | 'scores'

/**
 * Returns SQL that counts evaluation results. It takes the parameters of `candidateRows`. For a
 * decision or an organization, it also counts results without a stored decision.
 */
function resultsOf(table: Results, rule: ErasureRule): string {
  switch (rule.scope) {
    case 'decision':
      return `select count(*) as n from ${table}
               where organization_id = $1 and decision_id = $2::uuid
                 and $3::timestamptz is not null`
    case 'organization':
      return `select count(*) as n from ${table}
               where organization_id = $1 and $2::text is null and $3::timestamptz is not null`
    default:
      // Uses a subquery per decision, because a join would read all results of the organization.
      return `select coalesce(sum((
                       select count(*) from ${table} e
                        where e.organization_id = $1 and e.decision_id = d.decision_id
                     )), 0)::bigint as n
                from decisions d
               where ${candidateRows(rule)}`
  }
}

export async function countErasureCandidates(
  postgres: Queryable,
  rule: ErasureRule
): Promise<ErasureCounts> {
  const { organization_id, subject, received_until } = rule
  const values = [organization_id, subject, received_until]
  const count = async (statement: string): Promise<number> => {
    const [row] = await postgres.query<{ n: number }>(statement, values)
    return row?.n ?? 0
  }
  return {
    decisions: await count(`select count(*) as n from decisions d where ${candidateRows(rule)}`),
    evaluation_runs: await count(resultsOf('evaluation_runs', rule)),
    scores: await count(resultsOf('scores', rule))
  }
}
