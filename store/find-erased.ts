/** Finds out which of a batch were asked to be erased. */
import { createIsErased, erasuresLockKey } from '../core/decision/erasure.ts'
import type { ErasureSubject } from '../core/decision/erasure.ts'
import { readErasureRules } from './erasure-rules.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'

/**
 * From here on no rule begins to hold before the transaction has ended.
 * @returns whether a rule covers a subject of those given.
 */
export async function findErased(
  transaction: Queryable,
  subjects: readonly ErasureSubject[]
): Promise<(subject: ErasureSubject) => boolean> {
  // A statement of its own: the next one sees what was committed before the lock was given.
  await transaction.query(`select pg_advisory_xact_lock_shared($1)`, [erasuresLockKey])
  return createIsErased(await readErasureRules(transaction, subjects))
}
