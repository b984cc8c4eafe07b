/** Tests that each webhook gets one event per completed evaluation, whatever the order of runs. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { createStoreEvaluations } from '../../../consumers/storage/store-evaluations.ts'
import { createSubscribers } from '../../../consumers/storage/subscribers.ts'
import { createNotifyCompleted } from '../../../consumers/storage/notify-completed.ts'
import type { Evaluation, LaterRun } from '../../../core/evaluation/evaluation.ts'
import { pushRuleId } from '../../../core/evaluation/rule.ts'
import { systemClock as clock } from '../../../platform/process/clock.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import { anEvaluation, aRun, aScore } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'

let database: TestDatabase
let postgres: Postgres
/**
 * Maximum number of pending deliveries. It exceeds 1,000, to test cached counts: a backlog of 1,000
 * or more is not counted on every read.
 */
const pendingMax = 1200
const dropped: [organizationId: string, deliveries: number][] = []
let store: (...evaluations: Evaluation[]) => Promise<unknown>

beforeAll(async () => {
  database = await createTestDatabase()
  const limits = { connectionsMax: 4, statementTimeoutMs: 20_000 }
  postgres = createPostgres({ url: database.url, applicationName: 'test', ...limits })
  onEnd(() => postgres.close())
  const notifyCompleted = createNotifyCompleted({
    ...{ subscribers: createSubscribers({ clock, pendingMax }), clock },
    onDropped: (organizationId, deliveries) => dropped.push([organizationId, deliveries])
  })
  const storeEvaluations = createStoreEvaluations({ postgres, notifyCompleted })
  let offset = 0n
  const topic = randomUUID()
  store = (...evaluations) => {
    offset += 1n
    const place = { groupId: 'g', topic, partition: Number(offset) }
    return storeEvaluations(evaluations, { ...place, nextOffset: offset, epoch: 0 })
  }
})

async function aWebhook(organizationId: string, events = ['evaluation.completed']) {
  const webhookId = `whk_${randomUUID().replaceAll('-', '')}`
  await database.query(
    `insert into webhooks (organization_id, webhook_id, name, url, secret_sealed, events)
     values ($1, $2, $2, 'https://example.org/', '', $3)`,
    [organizationId, webhookId, events]
  )
  return webhookId
}

type Name = Pick<Evaluation, 'organization_id' | 'decision_id'>

async function plan({ organization_id, decision_id }: Name, runs: number): Promise<void> {
  await database.query(
    `insert into evaluation_plans (organization_id, decision_id, received_at, rule_set_version,
                                   outcomes, runs)
     values ($1, $2, now(), 0, '{planned}', $3)`,
    [organization_id, decision_id, runs]
  )
}

async function open({ organization_id, decision_id }: Name, run: LaterRun): Promise<void> {
  await database.query(
    `insert into pending_runs (organization_id, decision_id, run_id, rule_id, rule, evaluator_id,
                            evaluator, evaluator_kind, evaluator_version, generation, received_at,
                            status, expires_at)
     values ($1, $2, $3, $4, '', '', '', '', 1, $5, now(), 'scheduled', now())`,
    [organization_id, decision_id, run.run_id, run.rule_id, run.generation]
  )
}

type Delivery = { webhook_id: string; delivery_id: string; status: string; payload: string }

async function deliveriesOf(organizationId: string): Promise<Delivery[]> {
  return await database.query<Delivery>(
    `select webhook_id, delivery_id, status, payload
       from webhook_deliveries where organization_id = $1 order by webhook_id, created_at`,
    [organizationId]
  )
}

function payloadOf(deliveries: Delivery | undefined) {
  return JSON.parse(deliveries?.payload ?? '') as Record<string, unknown>
}

function aPlannedRun(overrides: Partial<LaterRun> = {}): LaterRun {
  const run_id = randomUUID()
  const scores = [aScore({ score_id: randomUUID(), name: 'polite', value: 0.8, label: null })]
  return aRun({ run_id, rule_id: 'default', evaluator_id: run_id, scores, ...overrides })
}

test('notifies each subscribed webhook of a plan that ends at once, without content', async () => {
  const organization_id = randomUUID()
  const webhooks = [await aWebhook(organization_id), await aWebhook(organization_id)].toSorted()
  await aWebhook(organization_id, ['threshold.crossed'])
  const decision_id = randomUUID()
  const evaluation = anEvaluation({ organization_id, decision_id, later_runs: [aPlannedRun()] })
  await plan(evaluation, 1)
  await store(evaluation)

  const deliveries = await deliveriesOf(organization_id)
  expect(deliveries.map(({ webhook_id }) => webhook_id)).toEqual(webhooks)
  const { id, created_at, ...payload } = payloadOf(deliveries[0])
  expect(id).toBe(deliveries[0]?.delivery_id)
  expect(Date.parse(String(created_at))).toBeGreaterThan(0)
  const { agent_id, session_id, domain } = evaluation
  expect(payload).toEqual({
    ...{ type: 'evaluation.completed', organization_id, decision_id },
    ...{ agent_id, session_id, domain, status: 'evaluated', verdict: 'pass' },
    scores: {
      polite: { value: 0.8, label: null, passed: true, evaluator: 'not_empty', version: 1 }
    }
  })
})

test.each([Number.NaN, Number.POSITIVE_INFINITY])('reports the value %d as null', async (value) => {
  const organization_id = randomUUID()
  await aWebhook(organization_id)
  const later_runs = [aPlannedRun({ scores: [aScore({ name: 'polite', value })] })]
  const evaluation = anEvaluation({ organization_id, decision_id: randomUUID(), later_runs })
  await plan(evaluation, 1)
  await store(evaluation)
  const { scores } = payloadOf((await deliveriesOf(organization_id))[0])
  expect(scores).toMatchObject({ polite: { value: null } })
})

test('notifies when the last run is stored, and not again for redelivered runs', async () => {
  const organization_id = randomUUID()
  await aWebhook(organization_id)
  const runs = [
    aPlannedRun(),
    aPlannedRun({ evaluator: 'slow', status: 'failed', scores: [] })
  ] as const
  const first = anEvaluation({ organization_id, decision_id: randomUUID(), later_runs: [runs[0]] })
  const second = { ...first, later_runs: [runs[1]] }
  await plan(first, 2)
  await open(first, runs[1])
  await store(first)
  expect(await deliveriesOf(organization_id)).toEqual([])
  await store(second)
  await store(first, second)
  await store(second)
  const deliveries = await deliveriesOf(organization_id)
  expect(deliveries.map((each) => payloadOf(each)['status'])).toEqual(['partial'])
})

test('notifies again for an ended repetition, but not for a pushed score', async () => {
  const organization_id = randomUUID()
  await aWebhook(organization_id)
  const evaluation = anEvaluation({ organization_id, decision_id: randomUUID() })
  const [run] = [aPlannedRun({ status: 'failed', scores: [] })]
  await plan(evaluation, 1)
  await store({ ...evaluation, later_runs: [run] })
  const replay = { ...run, run_id: randomUUID(), generation: 1, status: 'succeeded' } as const
  await open(evaluation, replay)
  await store({ ...evaluation, later_runs: [replay] })
  const pushed = aRun({ run_id: randomUUID(), rule_id: pushRuleId })
  await store({ ...evaluation, later_runs: [pushed] })
  const deliveries = await deliveriesOf(organization_id)
  expect(deliveries.map((each) => payloadOf(each)['status'])).toEqual(['failed', 'evaluated'])
  expect(new Set(deliveries.map(({ delivery_id }) => delivery_id)).size).toBe(2)
})

test('notifies when two transactions store the last runs at once', async () => {
  const organization_id = randomUUID()
  await aWebhook(organization_id)
  const decisions = Array.from({ length: 40 }, () =>
    anEvaluation({ organization_id, decision_id: randomUUID() })
  )
  for (const decision of decisions) await plan(decision, 2)
  const halfOf = (evaluator: string) =>
    decisions.map((decision) => ({ ...decision, later_runs: [aPlannedRun({ evaluator })] }))
  await Promise.all([store(...halfOf('one')), store(...halfOf('other').toReversed())])
  expect(await deliveriesOf(organization_id)).toHaveLength(decisions.length)
})

test('drops and counts new deliveries beyond the limit of pending ones', async () => {
  const organization_id = randomUUID()
  const webhookId = await aWebhook(organization_id)
  await database.query(
    `insert into webhook_deliveries (organization_id, webhook_id, delivery_id, event, payload)
     select $1, $2, gen_random_uuid(), 'evaluation.completed', '{}'
       from generate_series(1, $3)`,
    [organization_id, webhookId, pendingMax - 3]
  )
  const other = { organization_id: randomUUID(), decision_id: randomUUID() }
  await aWebhook(other.organization_id)
  const complete = async (name: Name) => {
    await plan(name, 1)
    await store(anEvaluation({ ...name, later_runs: [aPlannedRun()] }))
  }
  for (let n = 0; n < 5; n++) await complete({ organization_id, decision_id: randomUUID() })
  await complete(other)
  expect(await deliveriesOf(organization_id)).toHaveLength(pendingMax)
  expect(await deliveriesOf(other.organization_id)).toHaveLength(1)
  expect(dropped).toEqual([
    [organization_id, 1],
    [organization_id, 1]
  ])
})

test('caches for seconds that an organization has no webhooks', async () => {
  const organization_id = randomUUID()
  const asked: string[] = []
  const clockNow = { now: 1000 }
  const own = createSubscribers({ clock: { now: () => clockNow.now } })
  const noting = {
    query: async <R extends Record<string, unknown>>(statement: string) => {
      asked.push(statement)
      return [] as R[]
    }
  }
  for (clockNow.now = 1000; clockNow.now < 9000; clockNow.now += 1000) {
    expect((await own(noting, [organization_id, organization_id])).size).toBe(0)
  }
  expect(asked).toHaveLength(2)
})
