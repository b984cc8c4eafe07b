/** Tests the budget over HTTP with a database: its limits, who may set them, and the spending by
 * evaluator.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { createScene } from './scene.ts'
import type { Scene } from './scene.ts'

const path = '/v1/evaluation/budget'
let scene: Scene

beforeAll(async () => {
  scene = await createScene()
})

const put = (body: unknown, organizationId: string, role = 'owner') =>
  scene.send({ method: 'PUT', path, body, organizationId, role })

test('begins without limits and without spending', async () => {
  const { body } = await scene.send({ method: 'GET', path, role: 'viewer' })
  expect(body).toEqual({
    ...{ usd_per_day: null, usd_per_month: null, alert_at: null },
    ...{ spent_today: 0, spent_month: 0, unpriced_calls: 0, by_evaluator: [] },
    reset_at: { day: expect.stringMatching(/T00:00:00[.]000Z$/), month: expect.any(String) }
  })
  const { day, month } = body['reset_at'] as { day: string; month: string }
  expect(new Date(month).getUTCDate()).toBe(1)
  expect(new Date(day).getTime()).toBeLessThanOrEqual(new Date(month).getTime())
})

test('stores limits to the billionth of a dollar, and replaces all of them', async () => {
  const organizationId = randomUUID()
  const limits = { usd_per_day: 0.1, usd_per_month: 12.000000001, alert_at: 0.8 }
  expect((await put(limits, organizationId)).body).toMatchObject(limits)
  const rows = await scene.database.query(
    `select nano_usd_per_day, nano_usd_per_month from evaluation_budgets
      where organization_id = $1`,
    [organizationId]
  )
  expect(rows).toEqual([{ nano_usd_per_day: 100_000_000, nano_usd_per_month: 12_000_000_001 }])
  const less = { usd_per_day: 0 }
  expect((await put(less, organizationId)).body).toMatchObject({
    ...{ usd_per_day: 0, usd_per_month: null, alert_at: null }
  })
  expect((await scene.get(path)).body).toMatchObject({ usd_per_day: null })
})

test.each<[unknown, string]>([
  [{ usd_per_day: -1 }, '/usd_per_day'],
  [{ usd_per_month: 1e300 }, '/usd_per_month'],
  [{ usd_per_day: '5' }, '/usd_per_day'],
  [{ alert_at: 1.1 }, '/alert_at'],
  [{ usd_per_year: 1 }, '/usd_per_year']
])('refuses %j at %s', async (body, pointer) => {
  const refused = await put(body, randomUUID())
  expect([refused.status, refused.body]).toMatchObject([422, { errors: [{ pointer }] }])
})

test('can be set by admins and owners only', async () => {
  const { status, body } = await put({}, randomUUID(), 'member')
  expect([status, body]).toMatchObject([403, { code: 'role_missing', role: 'admin' }])
})

test('sums the spending of this month by evaluator, highest first', async () => {
  const organizationId = randomUUID()
  const spend = async (day: string, evaluator: string, nanoUsd: number, unpriced = 0) =>
    scene.database.query(
      `insert into evaluation_spend (organization_id, rule_id, evaluator_id, day, calls,
                                     input_tokens, output_tokens, nano_usd, unpriced_calls)
       values ($1, $2, $3, ${day}, 2, 300, 40, $4, $5)`,
      [organizationId, randomUUID(), evaluator, nanoUsd, unpriced]
    )
  const today = `(now() at time zone 'utc')::date`
  await spend(today, 'evl_a', 1_000_000_000)
  await spend(today, 'evl_b', 2_500_000_000, 1)
  await spend(today, 'evl_a', 500_000_000)
  await spend(`${today} - 40`, 'evl_a', 9_000_000_000)
  const { body } = await scene.send({ method: 'GET', path, organizationId })
  expect(body).toMatchObject({
    ...{ spent_today: 4, spent_month: 4, unpriced_calls: 1 },
    by_evaluator: [
      { evaluator_id: 'evl_b', evaluator: null, calls: 2, usd: 2.5, unpriced_calls: 1 },
      { evaluator_id: 'evl_a', calls: 4, input_tokens: 600, output_tokens: 80, usd: 1.5 }
    ]
  })
})
