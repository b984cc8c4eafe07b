/** Which deliveries are put into the queue, while other organizations have much to send. */
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { failedAttemptsMax } from '../../../consumers/evaluation/webhooks/delivery.ts'
import type { DeliveryKey } from '../../../consumers/evaluation/webhooks/delivery.ts'
import {
  handOut,
  perOrganizationMax,
  perWebhookMax,
  takeDue
} from '../../../consumers/evaluation/webhooks/hand-out.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import type { PostgresPool } from '../../../platform/postgres/postgres.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
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

/** Due a minute ago, unless told otherwise. */
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

/** An organization with as many webhooks as it may have, and much to send to each. */
async function aBusyOrganization(): Promise<readonly Webhook[]> {
  const own = await webhooks(20)
  for (const each of own) await deliveries(each, 50)
  return own
}

/** @returns the organization of each delivery that is put into the queue. */
async function handedOut(room: number): Promise<string[]> {
  const added: DeliveryKey[] = []
  const add = (_: unknown, jobs: readonly { readonly key: DeliveryKey }[]) => {
    added.push(...jobs.map(({ key }) => key))
    return Promise.resolve()
  }
  expect(await handOut({ postgres, queue: { add } }, room)).toBe(added.length)
  return added.map(({ organization_id }) => organization_id)
}

test('puts no more into the queue than there is room to send', async () => {
  await aBusyOrganization()
  await aBusyOrganization()
  expect(await handedOut(5)).toHaveLength(5)
})

test('one organization has at most its share out, over all of its webhooks', async () => {
  await aBusyOrganization()
  expect(await handedOut(64)).toHaveLength(perOrganizationMax)
  expect(await handedOut(64)).toEqual([])
  await database.query(`update webhook_deliveries set status = 'delivered'
                         where queued_at is not null`)
  expect(await handedOut(64)).toHaveLength(perOrganizationMax)
})

test('processes at the same time do not exceed the share together', async () => {
  const [busy] = await aBusyOrganization()
  const [other] = await webhooks(1)
  if (busy === undefined || other === undefined) throw new Error('there is no webhook')
  await deliveries(other, 50)
  const rounds = await Promise.all(Array.from({ length: 4 }, () => handedOut(64)))
  const by = Map.groupBy(rounds.flat(), (organizationId) => organizationId)
  expect(by.get(busy.organization_id)).toHaveLength(perOrganizationMax)
  expect(by.get(other.organization_id)).toHaveLength(perWebhookMax)
  const rows = await database.query(
    'select delivery_id from webhook_deliveries where queued_at is not null'
  )
  expect(rows).toHaveLength(perOrganizationMax + perWebhookMax)
})

test('the next free place is that of an organization with less out', async () => {
  const [busy] = await aBusyOrganization()
  await handedOut(10)
  const newcomers = [...(await webhooks(1)), ...(await webhooks(1))]
  for (const each of newcomers) await deliveries(each, 1, { due: -1 })
  const ids = newcomers.map(({ organization_id }) => organization_id)
  expect((await handedOut(2)).toSorted()).toEqual(ids.toSorted())
  expect(await handedOut(1)).toEqual([busy?.organization_id])
})

test('organizations with equally many out take turns, and so do their webhooks', async () => {
  const own = await Promise.all([webhooks(3), webhooks(3), webhooks(3)])
  for (const each of own.flat()) await deliveries(each, 8)
  const by = Map.groupBy(await handedOut(9), (organizationId) => organizationId)
  expect([...by.values()].map((each) => each.length)).toEqual([3, 3, 3])
  const rows = await database.query<{ n: number }>(
    `select count(*)::integer as n from webhook_deliveries where queued_at is not null
      group by webhook_id`
  )
  expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 9 }, () => 1))
})

test('a webhook whose last attempts failed has one delivery out at a time', async () => {
  const [failing] = await webhooks(1)
  if (failing === undefined) throw new Error('there is no webhook')
  await deliveries(failing, 20)
  await scene.change(failing, { failed_attempts: failedAttemptsMax })
  expect(await handedOut(64)).toHaveLength(1)
  expect(await handedOut(64)).toEqual([])
  await scene.change(failing, { failed_attempts: 0 })
  expect(await handedOut(64)).toHaveLength(perWebhookMax - 1)
})

test('skips rows that others hold, and takes those that follow', async () => {
  const [one] = await webhooks(1)
  if (one === undefined) throw new Error('there is no webhook')
  await deliveries(one, 8)
  await postgres.transaction(async (transaction) => {
    await transaction.query(
      `select from webhook_deliveries where webhook_id = $1 limit 3 for update`,
      [one.webhook_id]
    )
    expect(await handedOut(5)).toHaveLength(5)
  })
})

interface PlanNode {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

/** Rows of deliveries that the plan looked at. */
function lookedAt(node: PlanNode): number {
  const removed =
    (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const isScan = node['Relation Name'] === 'webhook_deliveries'
  const own = isScan ? (node['Actual Rows'] + removed) * node['Actual Loops'] : 0
  return (node.Plans ?? []).reduce((sum, each) => sum + lookedAt(each), own)
}

test.each([
  ['that were analyzed', 'analyze webhook_deliveries'],
  ['of which the planner knows nothing', 'select 1']
])('looks at a few rows of each webhook, among many %s', async (_, last) => {
  const [one, other] = await webhooks(2)
  if (one === undefined || other === undefined) throw new Error('there is no webhook')
  await deliveries(one, 20_000)
  await database.query(`update webhook_deliveries set status = 'delivered'`)
  await database.query('analyze webhook_deliveries')
  await deliveries(one, 20_000)
  await deliveries(other, 20_000)
  await database.query(last)
  const [explained] = await database.query<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>(
    `explain (analyze, format json) ${takeDue}`,
    [64]
  )
  const plan = explained?.['QUERY PLAN'][0]?.Plan
  if (plan === undefined) throw new Error('there is no plan')
  expect(lookedAt(plan)).toBeGreaterThan(perOrganizationMax)
  expect(lookedAt(plan)).toBeLessThan(200)
})
