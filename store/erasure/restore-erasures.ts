/** Writes erasures down that were asked for after the backup from which the database comes. */
import { erasuresLockKey } from '../../core/decision/erasure.ts'
import { createInsertRows } from '../../platform/postgres/insert-rows.ts'
import type { Column } from '../../platform/postgres/insert-rows.ts'
import type { Postgres, Queryable } from '../../platform/postgres/postgres.ts'
import type { Erasure, NewErasure } from './erasure-table.ts'

/** An erasure as it stood elsewhere; what became of it has to be found out again. */
export type RememberedErasure = NewErasure &
  Pick<Erasure, 'erasure_id' | 'received_until' | 'requested_at'>

const columns: readonly Column<RememberedErasure>[] = [
  ['erasure_id', 'uuid', ({ erasure_id }) => erasure_id],
  ['organization_id', 'uuid', ({ organization_id }) => organization_id],
  ['scope', 'text', ({ scope }) => scope],
  ['subject', 'text', ({ subject }) => subject],
  ['received_until', 'timestamptz', ({ received_until }) => received_until],
  ['requested_at', 'timestamptz', ({ requested_at }) => requested_at],
  ['requested_by', 'text', ({ requested_by }) => requested_by],
  ['reason', 'text', ({ reason }) => reason]
]

/** One that was extended after the backup holds as long as it did, and is carried out again. */
const insertErasures = createInsertRows('erasures', columns, {
  tail: `on conflict (erasure_id) do update
            set received_until = excluded.received_until, finished_at = null
          where erasures.received_until < excluded.received_until
         returning *`
})

/**
 * @returns those that the database did not know, or not as far; storage obeys them from now on.
 * @throws when one holds until a time to come: it would discard what is yet to be acknowledged.
 */
export function restoreErasures(
  postgres: Postgres,
  remembered: readonly RememberedErasure[]
): Promise<Erasure[]> {
  const latest = new Map<string, RememberedErasure>()
  for (const erasure of remembered) {
    const known = latest.get(erasure.erasure_id)
    if (known === undefined || known.received_until < erasure.received_until) {
      latest.set(erasure.erasure_id, erasure)
    }
  }
  return postgres.transaction(async (transaction) => {
    await transaction.query(`select pg_advisory_xact_lock($1)`, [erasuresLockKey])
    await refuseTimesToCome(transaction, [...latest.values()])
    return await insertErasures<Erasure>(transaction, [...latest.values()])
  })
}

/** With an hour for the clock of the server that the list comes from. */
async function refuseTimesToCome(
  transaction: Queryable,
  remembered: readonly RememberedErasure[]
): Promise<void> {
  const untils = remembered.map(({ received_until }) => received_until)
  const early = await transaction.query(
    `select received_until from unnest($1::timestamptz[]) as received_until
      where received_until > clock_timestamp() + interval '1 hour'`,
    [untils]
  )
  if (early.length > 0) throw new Error(`${early.length} erasures hold until a time to come`)
}
