/** Orders corrections of evaluations and transactions that store evaluations or plans. */
import type { Queryable } from '../platform/postgres/postgres.ts'

const lockKey = 7_213_905_417

/**
 * Waits until no transaction corrects evaluations, and keeps others from it until this transaction
 * ends. Otherwise a correction could miss what this transaction stores of a rejected decision
 * without knowing the identity.
 */
export async function holdCorrections(transaction: Queryable): Promise<void> {
  await transaction.query(`select pg_advisory_xact_lock_shared($1)`, [lockKey])
}

/**
 * Waits for all transactions that hold corrections. A statement of its own, so that the next one
 * sees what they committed.
 */
export async function lockCorrections(transaction: Queryable): Promise<void> {
  await transaction.query(`select pg_advisory_xact_lock($1)`, [lockKey])
}
