/** Tests that deliveries of every organization are sent, even if some organizations have many. */
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { concludeDelivery } from '../../../consumers/evaluation/webhooks/conclude-delivery.ts'
import { failedAttemptsMax, leaseSeconds } from '../../../consumers/evaluation/webhooks/delivery.ts'
import {
  perOrganizationMax,
  perWebhookMax,
  takeDeliveries,
  takeDue
} from '../../../consumers/evaluation/webhooks/take-deliveries.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import type { PostgresPool, Queryable, Row } from '../../../platform/postgres/postgres.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { countRowsRead } from './count-rows-read.ts'
import { createWebhookScene } from './webhook-scene.ts'
import type { Webhook, WebhookScene } from './webhook-scene.ts'

let database: TestDatabase
let scene: WebhookScene
let postgres: PostgresPool

beforeAll(async () => {
  database = await createTestDatabase()
  scene = createWebhookScene(database, 'a secret of thirty-two characters')
  const limits = { connectionsMax: 4, statementTimeoutMs: 20_000 }
  postgres = createPostgres({ url: database.url, applicationName: 'test', ...limits })
  onEnd(() => postgres.close())
})
beforeEach(async () => void (await database.query('truncate webhooks, webhook_deliveries')))

/** Inserts deliveries that are due in `due` seconds. By default, they became due a minute ago. */
async function deliveries(to: Webhook, count: number, columns = { due: -60 }): Promise<void> {
  await database.query(
    `insert into webhook_deliveries (organization_id, webhook_id, delivery_id, event, payload,
                                     next_attempt_at)
     select $1, $2, gen_random_uuid(), 'evaluation.completed', '{}',
            now() + make_interval(secs => $4)
       from generate_series(1, $3)`,
    [to.organization_id, to.webhook_id, count, columns.due]
  )
}

async function webhooks(count: number, organization_id = randomUUID()): Promise<Webhook[]> {
  const columns = { organization_id }
  return await Promise.all(
    Array.from({ length: count }, () => scene.aWebhook('https://example.org/', columns))
  )
}

/** Creates an organization with the maximum number of webhooks and many deliveries for each. */
async function aBusyOrganization(): Promise<readonly Webhook[]> {
  const own = await webhooks(20)
  for (const each of own) await deliveries(each, 50)
  return own
}

/** Returns the organization of each delivery that is taken. */
async function take(room: number): Promise<string[]> {
  const taken = await takeDeliveries(postgres, room)
  return taken.map(({ organization_id }) => organization_id)
}

test('takes no more deliveries than there is room to send', async () => {
  await aBusyOrganization()
  await aBusyOrganization()
  expect(await take(5)).toHaveLength(5)
})

test('limits the deliveries of an organization over all its webhooks', async () => {
  await aBusyOrganization()
  expect(await take(64)).toHaveLength(perOrganizationMax)
  expect(await take(64)).toEqual([])
  await database.query(`update webhook_deliveries set status = 'delivered'
                         where taken_at is not null`)
  expect(await take(64)).toHaveLength(perOrganizationMax)
})

test('keeps the limit when several processes take deliveries at the same time', async () => {
  const [busy] = await aBusyOrganization()
  const [other] = await webhooks(1)
  if (busy === undefined || other === undefined) throw new Error('webhook missing')
  await deliveries(other, 50)
  const rounds = await Promise.all(Array.from({ length: 4 }, () => take(64)))
  const by = Map.groupBy(rounds.flat(), (organizationId) => organizationId)
  expect(by.get(busy.organization_id)).toHaveLength(perOrganizationMax)
  expect(by.get(other.organization_id)).toHaveLength(perWebhookMax)
  const rows = await database.query(
    'select delivery_id from webhook_deliveries where taken_at is not null'
  )
  expect(rows).toHaveLength(perOrganizationMax + perWebhookMax)
})

test('gives a free place to the organization with fewer deliveries in progress', async () => {
  const [busy] = await aBusyOrganization()
  await take(10)
  const newcomers = [...(await webhooks(1)), ...(await webhooks(1))]
  for (const each of newcomers) await deliveries(each, 1, { due: -1 })
  const ids = newcomers.map(({ organization_id }) => organization_id)
  expect((await take(2)).toSorted()).toEqual(ids.toSorted())
  expect(await take(1)).toEqual([busy?.organization_id])
})

test('alternates between organizations, and between their webhooks', async () => {
  const own = await Promise.all([webhooks(3), webhooks(3), webhooks(3)])
  for (const each of own.flat()) await deliveries(each, 8)
  const by = Map.groupBy(await take(9), (organizationId) => organizationId)
  expect([...by.values()].map((each) => each.length)).toEqual([3, 3, 3])
  const rows = await database.query<{ n: number }>(
    `select count(*)::integer as n from webhook_deliveries where taken_at is not null
      group by webhook_id`
  )
  expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 9 }, () => 1))
})

test('sends one delivery at a time to a webhook whose last attempts failed', async () => {
  const [failing] = await webhooks(1)
  if (failing === undefined) throw new Error('webhook missing')
  await deliveries(failing, 20)
  await scene.change(failing, { failed_attempts: failedAttemptsMax })
  expect(await take(64)).toHaveLength(1)
  expect(await take(64)).toEqual([])
  await scene.change(failing, { failed_attempts: 0 })
  expect(await take(64)).toHaveLength(perWebhookMax - 1)
})

test('ignores the result of an attempt whose delivery was taken again', async () => {
  const [webhook] = await webhooks(1)
  if (webhook === undefined) throw new Error('webhook missing')
  const id = await scene.aDelivery(webhook)
  const takeIt = async () => {
    const [taken] = await takeDeliveries(postgres, 1)
    if (taken === undefined) throw new Error('delivery not taken')
    return taken
  }
  const late = await takeIt()
  await database.query(
    'update webhook_deliveries set taken_at = null, attempts = 0, next_attempt_at = now()'
  )
  const latest = await takeIt()
  expect(latest.attempts).toBe(late.attempts)
  const failed = { http_status: 500, error: 'the receiver responded with 500' }
  await concludeDelivery(postgres, late, {
    answer: failed,
    result: { kind: 'retry', waitMs: 0 }
  })
  expect(await take(1)).toEqual([])
  await concludeDelivery(postgres, latest, {
    answer: { http_status: 204, error: null },
    result: { kind: 'delivered' }
  })
  expect(await scene.delivery(id)).toMatchObject({ status: 'delivered', http_status: 204 })
})

test('reads no payload while it holds the lock for all processes', async () => {
  const [webhook] = await webhooks(1)
  if (webhook === undefined) throw new Error('webhook missing')
  const payload = JSON.stringify('x'.repeat(100_000))
  for (let n = 0; n < perWebhookMax; n++) await scene.aDelivery(webhook, { payload })
  const underLock: Row[] = []
  const noting = (transaction: Queryable): Queryable => ({
    query: async <R extends Row>(statement: string, values: readonly unknown[] = []) => {
      const rows = await transaction.query<R>(statement, values)
      underLock.push(...rows)
      return rows
    }
  })
  const transaction: PostgresPool['transaction'] = (work) =>
    postgres.transaction((own) => work(noting(own)))
  const taken = await takeDeliveries({ ...postgres, transaction }, 64)
  expect(taken.map((delivery) => delivery.payload)).toEqual(
    Array.from({ length: perWebhookMax }, () => payload)
  )
  expect(JSON.stringify(underLock).length).toBeLessThan(perWebhookMax * 500)
})

test('skips locked rows and takes the following ones', async () => {
  const [one] = await webhooks(1)
  if (one === undefined) throw new Error('webhook missing')
  await deliveries(one, 8)
  await postgres.transaction(async (transaction) => {
    await transaction.query(
      `select from webhook_deliveries where webhook_id = $1 limit 3 for update`,
      [one.webhook_id]
    )
    expect(await take(5)).toHaveLength(5)
  })
})

test.each([
  ['with statistics', 'analyze webhook_deliveries'],
  ['without statistics', 'select 1']
])('reads a few rows per webhook, among many %s', async (_, last) => {
  const [one, other] = await webhooks(2)
  if (one === undefined || other === undefined) throw new Error('webhook missing')
  await deliveries(one, 20_000)
  await database.query(`update webhook_deliveries set status = 'delivered'`)
  await database.query('analyze webhook_deliveries')
  await deliveries(one, 20_000)
  await deliveries(other, 20_000)
  await database.query(last)
  const read = await countRowsRead(database, 'webhook_deliveries', [takeDue, [64, leaseSeconds]])
  expect(read).toBeGreaterThan(perOrganizationMax)
  expect(read).toBeLessThan(200)
})
