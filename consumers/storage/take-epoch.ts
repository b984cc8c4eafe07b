/** Takes the next epoch from a sequence that all consumers of a database share. */
import type { Postgres } from '../../platform/postgres/postgres.ts'

/**
 * Runs in a `transaction`, which forces a synchronous commit. Otherwise, a number that is not yet
 * on disk could be returned again after Postgres crashes.
 */
export async function takeEpoch(postgres: Postgres): Promise<number> {
  const [row] = await postgres.transaction((transaction) =>
    transaction.query<{ epoch: number }>(`select nextval('consumer_epochs') as epoch`)
  )
  if (row === undefined) throw new Error('the sequence returned no row')
  return row.epoch
}
