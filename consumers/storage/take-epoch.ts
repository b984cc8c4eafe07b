/** Numbers the memberships of all consumers on one database, in the order in which they ask. */
import type { Postgres } from '../../platform/postgres/postgres.ts'

/** In a transaction, so that a server that is killed does not give the same number out again. */
export async function takeEpoch(postgres: Postgres): Promise<number> {
  const [row] = await postgres.transaction((transaction) =>
    transaction.query<{ epoch: number }>(`select nextval('consumer_epochs') as epoch`)
  )
  if (row === undefined) throw new Error('the sequence answered nothing')
  return row.epoch
}
