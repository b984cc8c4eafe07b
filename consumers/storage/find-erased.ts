/** Finds out which of a batch were asked to be erased. */
import { createIsErased, erasuresLockKey } from '../../core/erasure.ts'
import type { ErasureRule, ErasureSubject } from '../../core/erasure.ts'
import type { Queryable, Row } from '../../platform/postgres.ts'

/**
 * Rules are about the past: for what is as young as usual the answer is empty, however many there
 * are. From here on no rule begins to hold before the transaction has ended.
 * @returns whether a rule covers a subject of those given.
 */
export async function findErased(
  transaction: Queryable,
  subjects: readonly ErasureSubject[]
): Promise<(subject: ErasureSubject) => boolean> {
  const organizations = new Set(subjects.map(({ organization_id }) => organization_id))
  const earliest = subjects.reduce(
    (least, { received_at }) => Math.min(least, received_at),
    Number.POSITIVE_INFINITY
  )
  // A statement of its own: the next one sees what was committed before the lock was given.
  await transaction.query(`select pg_advisory_xact_lock_shared($1)`, [erasuresLockKey])
  const rules = await transaction.query<ErasureRule & Row>(
    `select organization_id, scope, subject, received_until
       from erasures
      where organization_id = any ($1::uuid[]) and received_until >= $2`,
    [[...organizations], new Date(earliest)]
  )
  return createIsErased(rules)
}
