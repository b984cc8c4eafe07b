/** Tests thresholds on real scores: one event when a threshold is crossed, and one when it
 * recovers.
 */
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
  subscribed = events,
  id = organization_id
): Promise<Webhook> {
  const text = JSON.stringify({ ...threshold, ...members })
  const columns = { organization_id: id, events: subscribed, threshold: text }
  return await scene.aWebhook('https://example.org/', columns)
}

type ScoreColumns = Readonly<Record<string, unknown>>

/** Inserts scores, each for a new decision. */
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

/** Measures the thresholds as if a minute had passed. */
async function measure(): Promise<void> {
  await database.query(`update webhooks set threshold_checked_at = '-infinity'`)
  const failures: unknown[] = []
  await watchThresholds({
    ...{ postgres: database, clock, signal: new AbortController().signal },
    onFailure: (_, error) => failures.push(error)
  })
  expect(failures).toEqual([])
}

async function eventsOf(webhook: Webhook): Promise<Record<string, unknown>[]> {
  const rows = await database.query<{ payload: string }>(
    `select payload from webhook_deliveries where webhook_id = $1 order by created_at`,
    [webhook.webhook_id]
  )
  return rows.map(({ payload }) => JSON.parse(payload) as Record<string, unknown>)
}

test('notifies once when crossed, and once when recovered', async () => {
  const webhook = await aWatch()
  await scores(8, { passed: true })
  await scores(2, { passed: false })
  await measure()
  await measure()
  const [crossed, ...more] = await eventsOf(webhook)
  expect(more).toEqual([])
  expect(crossed).toMatchObject({
    ...{ type: 'threshold.crossed', organization_id, webhook_id: webhook.webhook_id },
    ...{ threshold, n: 10, value: 0.8 },
    interval: [expect.closeTo(0.4902, 4), expect.closeTo(0.9433, 4)],
    evaluators: [{ evaluator_id: 'evl_1', evaluator: 'polite', version: 1, n: 10 }]
  })
  // 28 of 30 scores pass: the rate is above the threshold, but below the recovery value.
  await scores(20, { passed: true })
  await measure()
  expect(await eventsOf(webhook)).toHaveLength(1)
  await scores(20, { passed: true })
  await measure()
  const types = (await eventsOf(webhook)).map(({ type }) => type)
  expect(types).toEqual(['threshold.crossed', 'threshold.recovered'])
  expect(await scene.webhook(webhook)).toMatchObject({ state: 'ok' })
})

test('notifies once when several processes measure at the same time', async () => {
  const webhook = await aWatch()
  await scores(10, { passed: false })
  await Promise.all([measure(), measure(), measure()])
  expect(await eventsOf(webhook)).toHaveLength(1)
})

describe('sends no event', () => {
  test('for too few scores, also not for a recovery', async () => {
    const webhook = await aWatch({ min_n: 11 })
    await scores(10, { passed: false })
    await measure()
    expect(await eventsOf(webhook)).toEqual([])
  })

  test('for scores before the window, of other names, by users, or superseded', async () => {
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
    expect(await eventsOf(webhook)).toEqual([])
  })

  test('for an older version of an evaluator, once a newer one exists', async () => {
    const webhook = await aWatch({ min_n: 5 })
    await scores(50, { passed: false, evaluator_version: 1 })
    await scores(5, { passed: true, evaluator_version: 2 })
    await measure()
    expect(await eventsOf(webhook)).toEqual([])
  })

  test('for an event without subscription, but changes the state', async () => {
    const webhook = await aWatch({}, ['threshold.recovered'])
    await scores(10, { passed: false })
    await measure()
    expect(await eventsOf(webhook)).toEqual([])
    expect(await scene.webhook(webhook)).toMatchObject({ state: 'firing' })
  })
})

test('ignores scores before the newest 50,000 of their name', async () => {
  const webhook = await aWatch({ agent_id: 'a' })
  await scores(10, { passed: false, agent_id: 'a', evaluated_at: new Date(Date.now() - 60_000) })
  await scores(50_000, { passed: true, agent_id: 'b' })
  await measure()
  expect(await eventsOf(webhook)).toEqual([])
})

const statementOfMeasuring = 'from later_scores'

test('measures no further threshold when the process stops', async () => {
  for (let n = 0; n < 3; n++) await aWatch({}, events, randomUUID())
  const stopping = new AbortController()
  let measured = 0
  const noting: Queryable = {
    query: async (statement, values = []) => {
      if (statement.includes(statementOfMeasuring)) measured += 1
      stopping.abort()
      return await database.query(statement, values)
    }
  }
  const { signal } = stopping
  await watchThresholds({ ...{ postgres: noting, clock, signal }, onFailure: () => {} })
  expect(measured).toBe(1)
})

test('delays others by one measurement per organization with many thresholds', async () => {
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
      if (statement.includes(statementOfMeasuring)) measured.push(values[0])
      return await database.query(statement, values)
    }
  }
  const { signal } = new AbortController()
  await watchThresholds({ ...{ postgres: noting, clock, signal }, onFailure: () => {} })
  const own = organization_id
  expect(measured).toEqual([own, ...others, own, own])
})

test('compares a mean, limited to one agent and one evaluator', async () => {
  const members = { agent_id: 'a', evaluator_id: 'evl_2', domain: 'd' } as const
  const mean = { metric: 'mean', operator: 'above', value: 10, recovery_value: 9 } as const
  const webhook = await aWatch({ ...members, ...mean, min_n: 4 })
  await scores(9, { value: 1000, agent_id: 'b', evaluator_id: 'evl_2', domain: 'd' })
  await scores(9, { value: 1000, ...members, evaluator_id: 'evl_1' })
  await scores(2, { value: 9, ...members })
  await scores(2, { value: 13, ...members })
  await measure()
  const [crossed] = await eventsOf(webhook)
  expect(crossed).toMatchObject({ type: 'threshold.crossed', n: 4, value: 11 })
  expect(crossed?.['interval']).toEqual([expect.closeTo(8.737, 3), expect.closeTo(13.263, 3)])
})
