/** Deferred decisions: rows in Postgres, worked off in turns, each until it is published. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { createCosts } from '../../../consumers/evaluation/deferral/costs.ts'
import { createDefer } from '../../../consumers/evaluation/deferral/defer.ts'
import { deferDecisions } from '../../../consumers/evaluation/deferral/deferred-decisions.ts'
import { startWorkOff } from '../../../consumers/evaluation/deferral/work-off.ts'
import type { WorkOffOptions } from '../../../consumers/evaluation/deferral/work-off.ts'
import { createEvaluateAll } from '../../../consumers/evaluation/evaluate.ts'
import { createReadExhausted } from '../../../consumers/evaluation/exhausted-rules.ts'
import { createPlanDecisions } from '../../../consumers/evaluation/plan.ts'
import { createRuleSets } from '../../../consumers/evaluation/rule-sets.ts'
import { createStorePlans } from '../../../consumers/evaluation/store-plans.ts'
import { createStoreDecisions } from '../../../consumers/storage/store-decisions.ts'
import { createStoreEvaluations } from '../../../consumers/storage/store-evaluations.ts'
import { TransientError } from '../../../core/consumed.ts'
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
/** Of each test its own. */
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

/** Storage stores at once what is published. */
function start(overrides: Partial<WorkOffOptions> = {}): () => Promise<void> {
  const stop = startWorkOff({
    postgres,
    planDecisions: createPlanDecisions({
      ruleSets: createRuleSets({ postgres, clock }),
      readExhausted: createReadExhausted(postgres),
      storePlans: createStorePlans({ postgres, clock, addJobs: () => Promise.resolve() })
    }),
    evaluateAll: createEvaluateAll({
      ...{ clock, onFailure: () => {} },
      compile: createEvaluatorCache({ sessions: null })
    }),
    publish: async (evaluations) => {
      published.push(...evaluations.map(({ decision_id }) => decision_id))
      const tellCompleted = () => Promise.resolve()
      await createStoreEvaluations({ postgres, tellCompleted })(evaluations, place())
    },
    // Two decisions are a piece.
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

const untilNone = () => waitUntil('none is deferred', async () => (await countRows()) === 0)
const idsOf = (decisions: readonly Decision[]): string[] =>
  decisions.map(({ decision_id }) => decision_id)

test('organizations take turns, the oldest decisions first', async () => {
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

test('one that is not stored yet holds up no other, and waits until it is', async () => {
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

test('one that storage refused is given up once storage is past it', async () => {
  const refused = decisionsOf(randomUUID(), 1)
  await deferDecisions(postgres, refused, partition)
  await noteStored('6 minutes')
  start()
  await untilNone()
  expect(published).toEqual([])
})

test('keeps an old decision that was sent again until storage has read its message', async () => {
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

/** Records the progress of storage: `later` ahead of now for this topic, an hour for another. */
async function noteStored(later: string): Promise<void> {
  await database.query(
    `insert into storage_progress (topic, partition, next_offset, as_of)
     values ('t', $1, 1, now() + $2::interval), ('u', $1, 1, now() + interval '1 hour')`,
    [partition, later]
  )
}

test('one that was not published is evaluated again, by the same plan', async () => {
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
  await waitUntil('it is asked for', () => asked > 0)
  await stop()
  expect(await countRows()).toBe(1)
  start()
  await untilNone()
  expect(published).toEqual(idsOf(decisions))
  const plans = 'select from decision_plans where decision_id = any($1::uuid[])'
  expect(await database.query(plans, [idsOf(decisions)])).toHaveLength(1)
})

test('what was evaluated or erased meanwhile leaves nothing', async () => {
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

test('another process leaves them to the one that consumes the partition', async () => {
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
  await waitUntil('it has looked twice', () => asked > 1)
  expect(await countRows()).toBe(1)
})

test('no more than three pieces are published and not stored', async () => {
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
  await waitUntil('three pieces are published', () => seen.length === 6)
  expect(await countRows()).toBe(2)
})

test('what comes later in a partition does not overtake what is deferred there', async () => {
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
