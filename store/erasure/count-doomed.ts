/** Counts what an erasure would delete, and deletes nothing. */
import type { ErasureRule } from '../../core/decision/erasure.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { doomedRows } from './find-doomed.ts'

export interface DoomedCounts {
  readonly decisions: number
  readonly evaluation_runs: number
  readonly scores: number
}

/** Of `evaluation_runs e` or `scores e`, with the values of `doomedRows`. */
function doomedResults(rule: ErasureRule): string {
  if (rule.scope === 'organization' || rule.scope === 'decision') {
    return `e.organization_id = $1 and e.decision_id = coalesce($2::uuid, e.decision_id)
            and $3::timestamptz is not null`
  }
  return `e.organization_id = $1
          and e.decision_id in (select d.decision_id from decisions d where ${doomedRows(rule)})`
}

export async function countDoomed(postgres: Queryable, rule: ErasureRule): Promise<DoomedCounts> {
  const { organization_id, subject, received_until } = rule
  const values = [organization_id, subject, received_until]
  const count = async (from: string): Promise<number> => {
    const [row] = await postgres.query<{ n: number }>(`select count(*) as n from ${from}`, values)
    return row?.n ?? 0
  }
  return {
    decisions: await count(`decisions d where ${doomedRows(rule)}`),
    evaluation_runs: await count(`evaluation_runs e where ${doomedResults(rule)}`),
    scores: await count(`scores e where ${doomedResults(rule)}`)
  }
}
