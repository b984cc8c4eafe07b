/** Correction lock: serializes corrections of evaluations with transactions that store evaluations
 * or plans.
 */
import type { Queryable } from '../platform/postgres/postgres.ts'

const lockKey = 7_213_905_417

/**
 * Takes the correction lock in shared mode: waits for a running correction and blocks new ones
 * until this transaction ends. Without the lock, this transaction could store an evaluation or plan
 * without seeing which decision owns the ID, and a concurrent correction would miss that row.
 */
export async function lockCorrectionsShared(transaction: Queryable): Promise<void> {
  await transaction.query(`select pg_advisory_xact_lock_shared($1)`, [lockKey])
}

/**
 * Takes the correction lock exclusively. It is a separate statement, so that the next statement
 * sees what the shared holders committed.
 */
export async function lockCorrectionsExclusive(transaction: Queryable): Promise<void> {
  await transaction.query(`select pg_advisory_xact_lock($1)`, [lockKey])
}
