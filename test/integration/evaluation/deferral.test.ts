/** Tests deferred decisions, which are stored in Postgres and evaluated for each organization in
 * turn.
 */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { createCosts } from '../../../consumers/evaluation/deferral/costs.ts'
import { createDefer } from '../../../consumers/evaluation/deferral/defer.ts'
import { deferDecisions } from '../../../consumers/evaluation/deferral/deferred-decisions.ts'
import { startEvaluateDeferred } from '../../../consumers/evaluation/deferral/evaluate-deferred.ts'
import type { EvaluateDeferredOptions } from '../../../consumers/evaluation/deferral/evaluate-deferred.ts'
import { createEvaluateAll } from '../../../consumers/evaluation/evaluate.ts'
import { createReadExhausted } from '../../../consumers/evaluation/exhausted-rules.ts'
import { createPlanDecisions } from '../../../consumers/evaluation/plan.ts'
import { createRuleSets } from '../../../consumers/evaluation/rule-sets.ts'
import { createStorePlans } from '../../../consumers/evaluation/store-plans.ts'
import { createStoreDecisions } from '../../../consumers/storage/store-decisions.ts'
import { createStoreEvaluations } from '../../../consumers/storage/store-evaluations.ts'
import { TransientError } from '../../../core/message-outcome.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import { createEvaluatorCache } from '../../../evaluators/evaluator-cache.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import { createLogger } from '../../../platform/telemetry/logger.ts'
import { deleteEvaluations } from '../../../store/delete-evaluations.ts'
import { aDecision, noon } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { waitUntil } from '../../support/wait-until.ts'

const clock = { now: () => noon }

let database: TestDatabase
let postgres: Postgres
/** Number of the current test's partition. Each test uses its own. */
let partition = 0
let published: string[]
let stops: (() => Promise<void>)[]

beforeAll(async () => {
  database = await createTestDatabase()
  postgres = createPostgres({
    ...{ url: database.url, applicationName: 'test' },
    ...{ connectionsMax: 5, statementTimeoutMs: 20_000 }
  })
  onEnd(() => postgres.close())
})

beforeEach(() => {
  partition += 2
  published = []
  stops = []
})

afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()))
})

/** Starts evaluating deferred decisions. Published evaluations are stored immediately. */
function start(overrides: Partial<EvaluateDeferredOptions> = {}): () => Promise<void> {
  const stop = startEvaluateDeferred({
    postgres,
    planDecisions: createPlanDecisions({
      ruleSets: createRuleSets({ postgres, clock }),
      readExhausted: createReadExhausted(postgres),
      storePlans: createStorePlans({ postgres, clock })
    }),
    evaluateAll: createEvaluateAll({
      ...{ clock, onFailure: () => {} },
      compile: createEvaluatorCache({ sessions: null })
    }),
    publish: async (evaluations) => {
      published.push(...evaluations.map(({ decision_id }) => decision_id))
      const notifyCompleted = () => Promise.resolve()
      await createStoreEvaluations({ postgres, notifyCompleted })(evaluations, place())
    },
    // At 50 ms per decision, a piece holds two decisions.
    costs: { of: () => 50, note: () => {} },
    lane: { idle: () => Promise.resolve() },
    topic: 't',
    assigned: () => [partition],
    logger: createLogger({ level: 'silent', process: 'test' }),
    ...overrides
  })
  stops.push(stop)
  return stop
}

function decisionsOf(organization_id: string, count: number): Decision[] {
  return Array.from({ length: count }, (_, index) =>
    aDecision({ organization_id, received_at: noon + index })
  )
}

function place() {
  return { groupId: 'g', topic: 't', partition, nextOffset: 0n, epoch: 0 }
}

async function storeAll(decisions: readonly Decision[]): Promise<void> {
  await createStoreDecisions({ postgres })(decisions, place())
}

async function countRows(): Promise<number> {
  const [row] = await database.query(
    'select count(*)::integer as n from deferred_decisions where partition in ($1, $1 + 1)',
    [partition]
  )
  return Number(row?.['n'])
}

const untilNone = () => waitUntil('no decision is deferred', async () => (await countRows()) === 0)
const idsOf = (decisions: readonly Decision[]): string[] =>
  decisions.map(({ decision_id }) => decision_id)

test('evaluates organizations in turn, oldest decisions first', async () => {
  const ids = [randomUUID(), randomUUID()].toSorted()
  const [one = [], other = []] = ids.map((id) => decisionsOf(id, 4))
  await storeAll([...one, ...other])
  await deferDecisions(postgres, [...one.toReversed(), ...other], partition)
  start()
  await untilNone()
  expect(published).toEqual(
    idsOf([one.slice(0, 2), other.slice(0, 2), one.slice(2), other.slice(2)].flat())
  )
})

test('postpones a decision that is not stored yet, without delaying others', async () => {
  const [absent, stored] = decisionsOf(randomUUID(), 2) as [Decision, Decision]
  await storeAll([stored])
  await deferDecisions(postgres, [absent, stored], partition)
  start()
  await waitUntil('the other is published', () => published.length === 1)
  expect(published).toEqual([stored.decision_id])
  await storeAll([absent])
  await untilNone()
  expect(published).toEqual([stored.decision_id, absent.decision_id])
})

test('gives up a decision that storage rejected, once storage has passed it', async () => {
  const refused = decisionsOf(randomUUID(), 1)
  await deferDecisions(postgres, refused, partition)
  await noteStored('6 minutes')
  start()
  await untilNone()
  expect(published).toEqual([])
})

test('keeps an old replayed decision until storage has read its message', async () => {
  const replayed = decisionsOf(randomUUID(), 1)
  await deferDecisions(postgres, replayed, partition)
  await noteStored('1 second')
  let asked = 0
  start({
    assigned: () => {
      asked += 1
      return [partition]
    }
  })
  await waitUntil('three polls', () => asked > 3)
  expect(await countRows()).toBe(1)
  await storeAll(replayed)
  await untilNone()
  expect(published).toEqual(idsOf(replayed))
})

/**
 * Records that storage has processed topic `t` up to the time `later` from now, and another topic
 * up to one hour from now. `later` is a Postgres interval.
 */
async function noteStored(later: string): Promise<void> {
  await database.query(
    `insert into storage_progress (topic, partition, next_offset, as_of)
     values ('t', $1, 1, now() + $2::interval), ('u', $1, 1, now() + interval '1 hour')`,
    [partition, later]
  )
}

test('evaluates an unpublished piece again with the same plan', async () => {
  const decisions = decisionsOf(randomUUID(), 1)
  await storeAll(decisions)
  await deferDecisions(postgres, decisions, partition)
  let asked = 0
  const stop = start({
    publish: () => {
      asked += 1
      return Promise.reject(new TransientError('away'))
    }
  })
  await waitUntil('it is selected', () => asked > 0)
  await stop()
  expect(await countRows()).toBe(1)
  start()
  await untilNone()
  expect(published).toEqual(idsOf(decisions))
  const plans = 'select from decision_plans where decision_id = any($1::uuid[])'
  expect(await database.query(plans, [idsOf(decisions)])).toHaveLength(1)
})

test('deletes rows of decisions that were evaluated or erased in the meantime', async () => {
  const [erased, evaluated] = decisionsOf(randomUUID(), 2) as [Decision, Decision]
  await storeAll([erased, evaluated])
  await deferDecisions(postgres, [evaluated], partition)
  start()
  await untilNone()
  await deferDecisions(postgres, [erased, evaluated], partition + 1)
  await postgres.transaction((transaction) => deleteEvaluations(transaction, [erased]))
  expect(await countRows()).toBe(1)
  start({ assigned: () => [partition + 1] })
  await untilNone()
  expect(published).toEqual([evaluated.decision_id])
})

test('leaves decisions to the process that consumes their partition', async () => {
  const decisions = decisionsOf(randomUUID(), 1)
  await storeAll(decisions)
  await deferDecisions(postgres, decisions, partition)
  let asked = 0
  start({
    assigned: () => {
      asked += 1
      return [partition + 1]
    }
  })
  await waitUntil('it has polled twice', () => asked > 1)
  expect(await countRows()).toBe(1)
})

test('keeps at most three pieces published but not stored', async () => {
  const decisions = decisionsOf(randomUUID(), 8)
  await storeAll(decisions)
  await deferDecisions(postgres, decisions, partition)
  const seen: string[] = []
  start({
    publish: (evaluations) => {
      seen.push(...evaluations.map(({ decision_id }) => decision_id))
      return Promise.resolve()
    }
  })
  await waitUntil('the rows of three pieces are deleted', async () => (await countRows()) === 2)
  expect(seen).toHaveLength(6)
})

test('defers later decisions of a partition behind deferred ones', async () => {
  const { beyondShare } = createDefer({ postgres, costs: createCosts() })
  const [id, other] = [randomUUID(), randomUUID()]
  const first = decisionsOf(id, 60)
  expect(await beyondShare([...first, ...decisionsOf(other, 1)], partition)).toEqual(
    new Set(first.slice(4))
  )
  const later = decisionsOf(id, 1)
  expect(await beyondShare(later, partition)).toEqual(new Set(later))
  expect(await beyondShare(later, partition)).toEqual(new Set(later))
  expect(await beyondShare(later, partition + 1)).toEqual(new Set())
  expect(await countRows()).toBe(57)
})
