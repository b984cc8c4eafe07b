/** Records erasures that are newer than the backup of a restored database. */
import { erasuresLockKey } from '../../core/decision/erasure.ts'
import { createInsertRows } from '../../platform/postgres/insert-rows.ts'
import type { Column } from '../../platform/postgres/insert-rows.ts'
import type { Postgres, Queryable } from '../../platform/postgres/postgres.ts'
import type { Erasure, NewErasure } from './erasure-table.ts'

/** An erasure as exported by `sluice erase --list --json`, without its progress. */
export type ExportedErasure = NewErasure &
  Pick<Erasure, 'erasure_id' | 'received_until' | 'requested_at'>

const columns: readonly Column<ExportedErasure>[] = [
  ['erasure_id', 'uuid', ({ erasure_id }) => erasure_id],
  ['organization_id', 'uuid', ({ organization_id }) => organization_id],
  ['scope', 'text', ({ scope }) => scope],
  ['subject', 'text', ({ subject }) => subject],
  ['received_until', 'timestamptz', ({ received_until }) => received_until],
  ['requested_at', 'timestamptz', ({ requested_at }) => requested_at],
  ['requested_by', 'text', ({ requested_by }) => requested_by],
  ['reason', 'text', ({ reason }) => reason]
]

/** An erasure that was extended after the backup gets its later end and runs again. */
const insertErasures = createInsertRows('erasures', columns, {
  tail: `on conflict (erasure_id) do update
            set received_until = excluded.received_until, finished_at = null
          where erasures.received_until < excluded.received_until
         returning *`
})

/**
 * Records the erasures that are missing from the database or have an earlier end there. Storage
 * applies them from then on.
 * @returns the recorded erasures
 * @throws if an erasure ends in the future, because it would also discard decisions that are
 * received until then
 */
export function restoreErasures(
  postgres: Postgres,
  exported: readonly ExportedErasure[]
): Promise<Erasure[]> {
  const latest = new Map<string, ExportedErasure>()
  for (const erasure of exported) {
    const known = latest.get(erasure.erasure_id)
    if (known === undefined || known.received_until < erasure.received_until) {
      latest.set(erasure.erasure_id, erasure)
    }
  }
  return postgres.transaction(async (transaction) => {
    await transaction.query(`select pg_advisory_xact_lock($1)`, [erasuresLockKey])
    await rejectFutureTimes(transaction, [...latest.values()])
    return await insertErasures<Erasure>(transaction, [...latest.values()])
  })
}

/**
 * Rejects end times in the future. Tolerates one hour, because the clock of the server that
 * exported the list may be ahead.
 */
async function rejectFutureTimes(
  transaction: Queryable,
  exported: readonly ExportedErasure[]
): Promise<void> {
  const untils = exported.map(({ received_until }) => received_until)
  const early = await transaction.query(
    `select received_until from unnest($1::timestamptz[]) as received_until
      where received_until > clock_timestamp() + interval '1 hour'`,
    [untils]
  )
  if (early.length > 0)
    throw new Error(`${early.length} erasures have a received_until in the future`)
}
