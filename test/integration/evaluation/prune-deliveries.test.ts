/** Deliveries of long ago are deleted as fast as one organization can write them. */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import {
  keptDays,
  pruneDeliveries
} from '../../../consumers/evaluation/webhooks/prune-deliveries.ts'
import { createTestDatabase } from '../../support/database.ts'

test('one round deletes all that is old, and nothing else', async () => {
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
