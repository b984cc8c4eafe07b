/** Deletes expired sessions, email tokens, invites and registrations. */
import { withMaintenanceLock } from './partitions.ts'
import type { MaintenanceDependencies } from './partitions.ts'

/** Number of days to keep expired rows for inspection. */
const keptDays = 30
/** Maximum number of rows to delete per table and round. */
const rowsMax = 5000

/**
 * Table, column of the expiry time, and days to keep. Refresh tokens are deleted with their
 * session. Registrations are not kept, because they contain the password hashes of unconfirmed
 * users.
 */
const tables = [
  ['sessions', 'ends_at', keptDays],
  ['email_tokens', 'expires_at', keptDays],
  ['invites', 'expires_at', keptDays],
  ['registrations', 'expires_at', 0]
] as const

/** Runs one round, and logs the number of deleted rows. */
export async function deleteExpiredSessions(dependencies: MaintenanceDependencies): Promise<void> {
  for (const [table, column, days] of tables) {
    const deleted = await withMaintenanceLock(dependencies, (transaction) =>
      transaction.query(
        `delete from ${table} where ctid = any (array(
           select ctid from ${table} where ${column} < now() - make_interval(days => $1) limit $2))
         returning 1`,
        [days, rowsMax]
      )
    )
    const rows = deleted?.length ?? 0
    if (rows > 0) dependencies.logger.info({ table, rows }, 'deleted expired rows')
  }
}
