/** Tests pruning: old deliveries are deleted as fast as one organization can write new ones, and
 * expired deliveries end unless they are in flight.
 */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import {
  expireDeliveries,
  keptDays,
  pruneDeliveries
} from '../../../consumers/evaluation/webhooks/prune-deliveries.ts'
import { createTestDatabase } from '../../support/database.ts'

test('deletes all old deliveries in one round, and no others', async () => {
  const database = await createTestDatabase()
  const write = (count: number, days: number, status: string) =>
    database.query(
      `insert into webhook_deliveries (organization_id, webhook_id, delivery_id, event, payload,
                                       status, created_at)
       select $1, 'whk_1', gen_random_uuid(), 'evaluation.completed', '{}', $4,
              now() - make_interval(days => $3)
         from generate_series(1, $2)`,
      [randomUUID(), count, days, status]
    )
  await write(12_345, keptDays + 1, 'delivered')
  await write(7, keptDays - 1, 'failed')
  await write(5, keptDays + 1, 'pending')
  await pruneDeliveries(database)
  const rows = await database.query(
    `select status, count(*)::integer as n from webhook_deliveries group by status order by 1`
  )
  expect(rows).toEqual([
    { status: 'failed', n: 7 },
    { status: 'pending', n: 5 }
  ])
})

test('ends expired deliveries, except those in flight', async () => {
  const database = await createTestDatabase()
  const write = (takenAt: Date | null) =>
    database.query(
      `insert into webhook_deliveries (organization_id, webhook_id, delivery_id, event, payload,
                                       expires_at, taken_at)
       values ($1, 'whk_1', gen_random_uuid(), 'evaluation.completed', '{}',
               now() - interval '1 second', $2)`,
      [randomUUID(), takenAt]
    )
  await write(null)
  await write(new Date())
  expect(await expireDeliveries(database)).toEqual(['evaluation.completed'])
  const rows = await database.query(
    'select status, taken_at is not null as in_flight from webhook_deliveries order by 1'
  )
  expect(rows).toEqual([
    { status: 'failed', in_flight: false },
    { status: 'pending', in_flight: true }
  ])
})
