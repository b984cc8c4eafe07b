/** Tests that the transaction of a batch writes rows, hourly sums and the consumed offset, or
 * nothing.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { bisecting } from '../../../consumers/storage/bisect.ts'
import { createStoreDecisions } from '../../../consumers/storage/store-decisions.ts'
import { createStoreEvaluations } from '../../../consumers/storage/store-evaluations.ts'
import { createSubscribers } from '../../../consumers/storage/subscribers.ts'
import { createNotifyCompleted } from '../../../consumers/storage/notify-completed.ts'
import { duplicate, done, FencedError } from '../../../core/message-outcome.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import { systemClock as clock } from '../../../platform/process/clock.ts'
import type { MessageBatch } from '../../../platform/kafka/message-consumer.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import { aDecision, anEvaluation, aRun, noon } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { findSumDifferences } from '../../support/find-sum-differences.ts'

const notifyCompleted = createNotifyCompleted({
  ...{ subscribers: createSubscribers({ clock }), clock },
  onDropped: () => {}
})
const hourMs = 3_600_000
let database: TestDatabase
let postgres: Postgres

beforeAll(async () => {
  database = await createTestDatabase()
  postgres = createPostgres({
    url: database.url,
    applicationName: 'test',
    connectionsMax: 8,
    statementTimeoutMs: 20_000
  })
  onEnd(() => postgres.close())
})

/** Creates a partition that no other test uses. */
function aPlace() {
  return { groupId: 'group', topic: randomUUID(), partition: 4 }
}

async function recordedOf(topic: string): Promise<unknown> {
  const rows = await database.query(
    `select next_offset::text, epoch::integer from consumed_offsets where topic = $1`,
    [topic]
  )
  return rows[0] ?? null
}

async function countOf(organizationId: string): Promise<unknown> {
  const [row] = await database.query(
    `select (select count(*)::integer from decisions where organization_id = $1) as decisions,
            (select count(*)::integer from decision_ids where organization_id = $1) as ids,
            (select count(*)::integer from decision_hours where organization_id = $1) as hours`,
    [organizationId]
  )
  return row
}

describe('the fence', () => {
  test('lets a later member take over, and rejects all writes of the earlier one', async () => {
    const store = createStoreDecisions({ postgres })
    const place = aPlace()
    const [first, second] = [aDecision(), aDecision()]
    await store([first], { ...place, nextOffset: 10n, epoch: 2 })
    await store([], { ...place, nextOffset: 20n, epoch: 3 })
    const zombie = store([second], { ...place, nextOffset: 15n, epoch: 2 })
    await expect(zombie).rejects.toBeInstanceOf(FencedError)
    expect(await countOf(second.organization_id)).toEqual({ decisions: 0, ids: 0, hours: 0 })
    expect(await recordedOf(place.topic)).toEqual({ next_offset: '20', epoch: 3 })
  })

  test('applies to evaluations too', async () => {
    const store = createStoreEvaluations({ postgres, notifyCompleted })
    const place = aPlace()
    await store([], { ...place, nextOffset: 20n, epoch: 3 })
    const evaluation = anEvaluation()
    const zombie = store([evaluation], { ...place, nextOffset: 15n, epoch: 2 })
    await expect(zombie).rejects.toBeInstanceOf(FencedError)
    const runs = await database.query(`select from evaluation_runs where organization_id = $1`, [
      evaluation.organization_id
    ])
    expect(runs).toEqual([])
  })

  test('keeps two members with one partition from writing at the same time', async () => {
    const store = createStoreDecisions({ postgres })
    const place = aPlace()
    const decision = aDecision()
    const outcomes = await Promise.allSettled(
      [1, 2, 3, 4].map((epoch) => store([decision], { ...place, nextOffset: 9n, epoch }))
    )
    const stored = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value[0]] : []))
    expect(stored.filter((outcome) => outcome === done)).toHaveLength(1)
    expect(stored.filter((outcome) => outcome === duplicate)).toHaveLength(stored.length - 1)
    expect(await recordedOf(place.topic)).toEqual({ next_offset: '9', epoch: 4 })
  })

  test('skips nothing when an offset decreases, because the topic may be new', async () => {
    const store = createStoreDecisions({ postgres })
    const place = aPlace()
    const decision = aDecision()
    await store([aDecision()], { ...place, nextOffset: 1000n, epoch: 2 })
    expect(await store([decision], { ...place, nextOffset: 1n, epoch: 2 })).toEqual([done])
    expect(await recordedOf(place.topic)).toEqual({ next_offset: '1', epoch: 2 })
    expect(await countOf(decision.organization_id)).toMatchObject({ decisions: 1 })
  })
})

describe('the hourly sums', () => {
  test('match the rows after redelivery and conflicts', async () => {
    const store = createStoreDecisions({ postgres })
    const organization_id = randomUUID()
    const one = aDecision({ organization_id })
    const decisions: Decision[] = [
      one,
      one,
      { ...one, output: 'another' },
      aDecision({ organization_id, received_at: noon + hourMs, domain: null }),
      aDecision({ organization_id, agent_id: null, input_tokens: null }),
      aDecision({ organization_id, agent_id: '', domain: '', output_tokens: null }),
      aDecision({ organization_id, input_tokens: Number.MAX_SAFE_INTEGER }),
      aDecision({ organization_id, input_tokens: Number.MAX_SAFE_INTEGER })
    ]
    const place = { ...aPlace(), epoch: 1 }
    await store(decisions, { ...place, nextOffset: 8n })
    await store(decisions.slice(3), { ...place, nextOffset: 8n })
    expect(await findSumDifferences(database, organization_id)).toEqual([])
    const [row] = await database.query(
      `select sum(decisions)::integer as n, max(input_tokens)::text as tokens
         from decision_hours where organization_id = $1`,
      [organization_id]
    )
    expect(row).toEqual({ n: 6, tokens: String(2n * BigInt(Number.MAX_SAFE_INTEGER) + 420n) })
  })

  test('are exact when many transactions change the same hours', async () => {
    const store = createStoreDecisions({ postgres })
    const organization_id = randomUUID()
    const agents = ['a', 'b', 'c', 'd']
    await Promise.all(
      Array.from({ length: 24 }, (_, at) => {
        const order = at % 2 === 0 ? agents : agents.toReversed()
        const decisions = order.map((agent_id) => aDecision({ organization_id, agent_id }))
        return store(decisions, { ...aPlace(), nextOffset: 4n, epoch: 1 })
      })
    )
    expect(await countOf(organization_id)).toEqual({ decisions: 96, ids: 96, hours: 4 })
    expect(await findSumDifferences(database, organization_id)).toEqual([])
  })

  test('exclude rejected records, and the end of the batch is recorded', async () => {
    const organization_id = randomUUID()
    const place = aPlace()
    const good = Array.from({ length: 5 }, () => aDecision({ organization_id }))
    const values = good.toSpliced(3, 0, aDecision({ organization_id, agent_id: 'nul\u0000' }))
    const handle = bisecting(createStoreDecisions({ postgres }), place.groupId)
    const batch: MessageBatch = {
      ...place,
      ...{ messages: [], nextOffset: 6n, isOver: () => false },
      epoch: () => Promise.resolve(1),
      heartbeat: () => Promise.resolve(),
      commit: () => Promise.resolve(),
      before: () => batch,
      pauseFor: () => {}
    }
    const outcomes = await handle(values, batch)
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      ...['done', 'done', 'done', 'dead_letter', 'done', 'done']
    ])
    expect(await findSumDifferences(database, organization_id)).toEqual([])
    expect(await recordedOf(place.topic)).toEqual({ next_offset: '6', epoch: 1 })
  })
})

test('counts an evaluation that occurs twice in a batch once', async () => {
  const evaluation = anEvaluation({ later_runs: [aRun(), aRun()] })
  const store = createStoreEvaluations({ postgres, notifyCompleted })
  const outcomes = await store([evaluation, evaluation], { ...aPlace(), nextOffset: 2n, epoch: 1 })
  expect(outcomes).toEqual([done, duplicate])
})

test('accepts the same run_id for two decisions', async () => {
  const store = createStoreEvaluations({ postgres, notifyCompleted })
  const run = aRun()
  const [one, other] = [anEvaluation({ later_runs: [run] }), anEvaluation({ later_runs: [run] })]
  const consumption = { ...aPlace(), nextOffset: 3n, epoch: 1 }
  expect(await store([one], consumption)).toEqual([done])
  expect(await store([one, other], consumption)).toEqual([duplicate, done])
  const scores = await database.query(
    `select decision_id from scores where decision_id = any ($1) order by 1`,
    [[one.decision_id, other.decision_id]]
  )
  expect(scores.map((row) => row['decision_id'])).toEqual(
    [one.decision_id, other.decision_id].toSorted()
  )
})

test('keeps committed data, however the database is configured', async () => {
  const setting = 'show synchronous_commit'
  const [outside] = await postgres.query(setting)
  const [inside] = await postgres.transaction((transaction) => transaction.query(setting))
  expect(outside).toEqual({ synchronous_commit: 'off' })
  expect(inside).toEqual({ synchronous_commit: 'on' })
})
