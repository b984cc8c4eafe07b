/** Numbers the memberships of all consumers on one database, in the order in which they ask. */
import type { Queryable } from '../../platform/postgres.ts'

export async function takeEpoch(postgres: Queryable): Promise<number> {
  const [row] = await postgres.query<{ epoch: number }>(
    `select nextval('consumer_epochs') as epoch`
  )
  if (row === undefined) throw new Error('the sequence answered nothing')
  return row.epoch
}
