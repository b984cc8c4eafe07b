/** Deletes what let people in and is over: sessions, tokens of emails, invites, registrations. */
import { inTurn } from './partitions.ts'
import type { UpkeepDependencies } from './partitions.ts'

/** For as long it can still be seen that it was there. */
const keptDays = 30
/** In one round and of one table; the rest is for the next. */
const rowsMax = 5000

/**
 * With the column that says when it was over, and for how many days it is kept; what was refreshed
 * goes with its session. A registration has the password of a person who did not confirm it.
 */
const tables = [
  ['sessions', 'ends_at', keptDays],
  ['email_tokens', 'expires_at', keptDays],
  ['invites', 'expires_at', keptDays],
  ['registrations', 'expires_at', 0]
] as const

/** One round; logs what it deleted. */
export async function forgetSessions(dependencies: UpkeepDependencies): Promise<void> {
  for (const [table, column, days] of tables) {
    const deleted = await inTurn(dependencies, (transaction) =>
      transaction.query(
        `delete from ${table} where ctid = any (array(
           select ctid from ${table} where ${column} < now() - make_interval(days => $1) limit $2))
         returning 1`,
        [days, rowsMax]
      )
    )
    const rows = deleted?.length ?? 0
    if (rows > 0) dependencies.logger.info({ table, rows }, 'deleted what let people in once')
  }
}
