/** Reads what was asked to be erased; what a rule means is `core/decision/erasure.ts`. */
import type { ErasureRule, ErasureSubject } from '../core/decision/erasure.ts'
import type { Queryable, Row } from '../platform/postgres/postgres.ts'

/**
 * Rules are about the past: for what is as young as usual the answer is empty, however many there
 * are.
 * @returns the rules that may cover one of the subjects, and perhaps some that cover none.
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
