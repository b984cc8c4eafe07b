/** Deletes what let people in and is long over: sessions, tokens of letters, invites. */
import { inTurn } from './partitions.ts'
import type { UpkeepDependencies } from './partitions.ts'

/** For as long it can still be seen that it was there. */
const keptDays = 30
/** In one round and of one table; the rest is for the next. */
const rowsMax = 5000

/** With the column that says when it was over; what was refreshed goes with its session. */
const tables = [
  ['sessions', 'ends_at'],
  ['email_tokens', 'expires_at'],
  ['invites', 'expires_at']
] as const

/** One round; logs what it deleted. */
export async function forgetSessions(dependencies: UpkeepDependencies): Promise<void> {
  for (const [table, column] of tables) {
    const deleted = await inTurn(dependencies, (transaction) =>
      transaction.query(
        `delete from ${table} where ctid = any (array(
           select ctid from ${table} where ${column} < now() - make_interval(days => $1) limit $2))
         returning 1`,
        [keptDays, rowsMax]
      )
    )
    const rows = deleted?.length ?? 0
    if (rows > 0) dependencies.logger.info({ table, rows }, 'deleted what let people in once')
  }
}
