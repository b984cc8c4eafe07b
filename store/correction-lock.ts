/** Orders corrections of evaluations and transactions that store evaluations or plans. */
import type { Queryable } from '../platform/postgres/postgres.ts'

const lockKey = 7_213_905_417

/**
 * Takes the correction lock in shared mode: waits for a running correction, and blocks new ones
 * until this transaction ends. Otherwise a correction could miss an evaluation or plan that this
 * transaction stores before it can see which decision owns the ID.
 */
export async function lockCorrectionsShared(transaction: Queryable): Promise<void> {
  await transaction.query(`select pg_advisory_xact_lock_shared($1)`, [lockKey])
}

/**
 * Takes the correction lock exclusively. Runs as a separate statement, so that the next statement
 * sees what the shared holders committed.
 */
export async function lockCorrectionsExclusive(transaction: Queryable): Promise<void> {
  await transaction.query(`select pg_advisory_xact_lock($1)`, [lockKey])
}
