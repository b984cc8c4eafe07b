/** Reads erasure rules; `core/decision/erasure.ts` applies them. */
import type { ErasureRule, ErasureSubject } from '../core/decision/erasure.ts'
import type { Queryable, Row } from '../platform/postgres/postgres.ts'

/**
 * Reads all rules that cover one of the subjects. The result can include other rules. Rules cover
 * only past decisions, so the result is empty for recent decisions, regardless of the number of
 * rules.
 */
export async function readErasureRules(
  postgres: Queryable,
  subjects: readonly ErasureSubject[]
): Promise<ErasureRule[]> {
  if (subjects.length === 0) return []
  const organizations = new Set(subjects.map(({ organization_id }) => organization_id))
  const earliest = subjects.reduce(
    (least, { received_at }) => Math.min(least, received_at),
    Number.POSITIVE_INFINITY
  )
  return await postgres.query<ErasureRule & Row>(
    `select organization_id, scope, subject, received_until
       from erasures
      where organization_id = any ($1::uuid[]) and received_until >= $2`,
    [[...organizations], new Date(earliest)]
  )
}
