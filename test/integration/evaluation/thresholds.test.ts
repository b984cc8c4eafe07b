/** Thresholds over real scores: told once when crossed, once when it is well again. */
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { watchThresholds } from '../../../consumers/evaluation/webhooks/watch-thresholds.ts'
import type { ScoreThreshold } from '../../../core/webhook.ts'
import { systemClock as clock } from '../../../platform/process/clock.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { createWebhookScene } from './webhook-scene.ts'
import type { Webhook, WebhookScene } from './webhook-scene.ts'

const threshold: ScoreThreshold = {
  ...{ score: 'polite', evaluator_id: null, agent_id: null, domain: null },
  ...{ metric: 'pass_rate', window_minutes: 60, operator: 'below', value: 0.9 },
  ...{ recovery_value: 0.95, min_n: 10 }
}
const events = ['threshold.crossed', 'threshold.recovered']

let database: TestDatabase
let scene: WebhookScene
let organization_id: string

beforeAll(async () => {
  database = await createTestDatabase()
  scene = createWebhookScene(database, 'a secret of thirty-two characters')
})
beforeEach(() => void (organization_id = randomUUID()))

async function aWatch(
  members: Partial<ScoreThreshold> = {},
  told = events,
  id = organization_id
): Promise<Webhook> {
  const text = JSON.stringify({ ...threshold, ...members })
  const columns = { organization_id: id, events: told, threshold: text }
  return await scene.aWebhook('https://example.org/', columns)
}

type ScoreColumns = Readonly<Record<string, unknown>>

/** @returns the decisions that they are of. */
async function scores(count: number, columns: ScoreColumns): Promise<void> {
  const row = {
    ...{ organization_id, name: 'polite', data_type: 'numeric', evaluator_id: 'evl_1' },
    ...{ evaluator: 'polite', evaluator_kind: 'regex', evaluator_version: 1 },
    ...{ source_kind: 'evaluator', received_at: new Date(), evaluated_at: new Date(), ...columns }
  }
  const names = Object.keys(row)
  const values = names.map((_, index) => `$${index + 2}`)
  await database.query(
    `insert into later_scores (decision_id, run_id, score_id, ${names.join(', ')})
     select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), ${values.join(', ')}
       from generate_series(1, $1)`,
    [count, ...Object.values(row)]
  )
}

/** A minute later. */
async function measure(): Promise<void> {
  await database.query(`update webhooks set threshold_checked_at = '-infinity'`)
  const failures: unknown[] = []
  await watchThresholds({
    ...{ postgres: database, clock },
    onFailure: (_, error) => failures.push(error)
  })
  expect(failures).toEqual([])
}

async function told(webhook: Webhook): Promise<Record<string, unknown>[]> {
  const rows = await database.query<{ payload: string }>(
    `select payload from webhook_deliveries where webhook_id = $1 order by created_at`,
    [webhook.webhook_id]
  )
  return rows.map(({ payload }) => JSON.parse(payload) as Record<string, unknown>)
}

test('is told once while it is crossed, and once when it is well again', async () => {
  const webhook = await aWatch()
  await scores(8, { passed: true })
  await scores(2, { passed: false })
  await measure()
  await measure()
  const [crossed, ...more] = await told(webhook)
  expect(more).toEqual([])
  expect(crossed).toMatchObject({
    ...{ type: 'threshold.crossed', organization_id, webhook_id: webhook.webhook_id },
    ...{ threshold, n: 10, value: 0.8 },
    interval: [expect.closeTo(0.4902, 4), expect.closeTo(0.9433, 4)],
    evaluators: [{ evaluator_id: 'evl_1', evaluator: 'polite', version: 1, n: 10 }]
  })
  // 28 of 30 are beyond the threshold, and not yet where it is well again.
  await scores(20, { passed: true })
  await measure()
  expect(await told(webhook)).toHaveLength(1)
  await scores(20, { passed: true })
  await measure()
  const types = (await told(webhook)).map(({ type }) => type)
  expect(types).toEqual(['threshold.crossed', 'threshold.recovered'])
  expect(await scene.webhook(webhook)).toMatchObject({ state: 'ok' })
})

test('processes that measure at the same time tell it once', async () => {
  const webhook = await aWatch()
  await scores(10, { passed: false })
  await Promise.all([measure(), measure(), measure()])
  expect(await told(webhook)).toHaveLength(1)
})

describe('nothing is told', () => {
  test('of too few scores, also not that it is well again', async () => {
    const webhook = await aWatch({ min_n: 11 })
    await scores(10, { passed: false })
    await measure()
    expect(await told(webhook)).toEqual([])
  })

  test('of scores before the window, of other names, by people, or replayed since', async () => {
    const webhook = await aWatch({ min_n: 1 })
    await scores(9, { passed: false, evaluated_at: new Date(Date.now() - 3_700_000) })
    await scores(9, { passed: false, name: 'other' })
    await scores(9, { passed: false, source_kind: 'human' })
    await scores(9, { passed: false, organization_id: randomUUID() })
    const decision_id = randomUUID()
    const run_id = randomUUID()
    await database.query(
      `insert into later_runs (organization_id, decision_id, run_id, rule, evaluator,
              evaluator_kind, evaluator_version, generation, status, attempts, evaluated_at,
              received_at, superseded_by)
       values ($1, $2, $3, 'r', 'polite', 'regex', 1, 0, 'succeeded', 1, now(), now(), $3)`,
      [organization_id, decision_id, run_id]
    )
    await database.query(
      `insert into later_scores (organization_id, decision_id, run_id, score_id, name, data_type,
                           passed, source_kind, evaluator, evaluator_kind, evaluator_version,
                           received_at, evaluated_at)
       values ($1, $2, $3, $3, 'polite', 'boolean', false, 'evaluator', 'polite', 'regex', 1, now(),
               now())`,
      [organization_id, decision_id, run_id]
    )
    await measure()
    expect(await told(webhook)).toEqual([])
  })

  test('of the older version of an evaluator, once there is a newer one', async () => {
    const webhook = await aWatch({ min_n: 5 })
    await scores(50, { passed: false, evaluator_version: 1 })
    await scores(5, { passed: true, evaluator_version: 2 })
    await measure()
    expect(await told(webhook)).toEqual([])
  })

  test('of what was not subscribed to; the state changes all the same', async () => {
    const webhook = await aWatch({}, ['threshold.recovered'])
    await scores(10, { passed: false })
    await measure()
    expect(await told(webhook)).toEqual([])
    expect(await scene.webhook(webhook)).toMatchObject({ state: 'firing' })
  })
})

test('scores before the newest 50,000 of their name are not looked at', async () => {
  const webhook = await aWatch({ agent_id: 'a' })
  await scores(10, { passed: false, agent_id: 'a', evaluated_at: new Date(Date.now() - 60_000) })
  await scores(50_000, { passed: true, agent_id: 'b' })
  await measure()
  expect(await told(webhook)).toEqual([])
})

test('an organization with many thresholds delays others by one measurement', async () => {
  const aWatchOf = async (id: string, secondsAgo: number) => {
    const webhook = await aWatch({}, events, id)
    const threshold_checked_at = new Date(Date.now() - 1000 * secondsAgo)
    await scene.change(webhook, { threshold_checked_at })
  }
  await database.query('update webhooks set enabled = false')
  const others = [randomUUID(), randomUUID()] as const
  for (const secondsAgo of [500, 501, 502]) await aWatchOf(organization_id, secondsAgo)
  await aWatchOf(others[0], 100)
  await aWatchOf(others[1], 90)
  const measured: unknown[] = []
  const noting: Queryable = {
    query: async (statement, values = []) => {
      if (statement.includes('from later_scores')) measured.push(values[0])
      return await database.query(statement, values)
    }
  }
  await watchThresholds({ ...{ postgres: noting, clock }, onFailure: () => {} })
  const own = organization_id
  expect(measured).toEqual([own, ...others, own, own])
})

test('a mean may be too high, of one agent and one evaluator alone', async () => {
  const members = { agent_id: 'a', evaluator_id: 'evl_2', domain: 'd' } as const
  const mean = { metric: 'mean', operator: 'above', value: 10, recovery_value: 9 } as const
  const webhook = await aWatch({ ...members, ...mean, min_n: 4 })
  await scores(9, { value: 1000, agent_id: 'b', evaluator_id: 'evl_2', domain: 'd' })
  await scores(9, { value: 1000, ...members, evaluator_id: 'evl_1' })
  await scores(2, { value: 9, ...members })
  await scores(2, { value: 13, ...members })
  await measure()
  const [crossed] = await told(webhook)
  expect(crossed).toMatchObject({ type: 'threshold.crossed', n: 4, value: 11 })
  expect(crossed?.['interval']).toEqual([expect.closeTo(8.737, 3), expect.closeTo(13.263, 3)])
})
