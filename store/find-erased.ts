/** Finds the decisions of a batch that an erasure covers. */
import { createIsErased, erasuresLockKey } from '../core/decision/erasure.ts'
import type { ErasureSubject } from '../core/decision/erasure.ts'
import { readErasureRules } from './erasure-rules.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'

/**
 * Reads the rules for the subjects, and blocks new rules until the transaction ends.
 * @returns a function that checks whether a rule covers a subject
 */
export async function findErased(
  transaction: Queryable,
  subjects: readonly ErasureSubject[]
): Promise<(subject: ErasureSubject) => boolean> {
  // This is a separate statement, so that the next one sees what was committed before the lock was
  // granted.
  await transaction.query(`select pg_advisory_xact_lock_shared($1)`, [erasuresLockKey])
  return createIsErased(await readErasureRules(transaction, subjects))
}
