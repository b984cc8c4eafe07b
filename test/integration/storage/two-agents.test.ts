/** Tests two decisions with the same decision_id but different agents or sessions: storage keeps
 * only the evaluation of the stored decision.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import {
  deferDecisions,
  deleteDeferred,
  selectDeferred
} from '../../../consumers/evaluation/deferral/deferred-decisions.ts'
import { createStorePlans } from '../../../consumers/evaluation/store-plans.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import type { Evaluation } from '../../../core/evaluation/evaluation.ts'
import { pushRuleId } from '../../../core/evaluation/rule.ts'
import { systemClock as clock } from '../../../platform/process/clock.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { lockCorrectionsExclusive } from '../../../store/correction-lock.ts'
import { beginErasure } from '../../../store/erasure/erasure-table.ts'
import { aDecision, anEvaluation, aRun, noon } from '../../support/builders.ts'
import { findSumDifferences } from '../../support/find-sum-differences.ts'
import { evaluated, openStorage } from '../../support/open-storage.ts'
import type { OpenStorage } from '../../support/open-storage.ts'
import { waitUntil } from '../../support/wait-until.ts'

const organization_id = randomUUID()
let storage: OpenStorage

beforeAll(async () => void (storage = await openStorage()))

const steps = ['decision', 'rejected decision', 'evaluation', 'evaluation of the rejected'] as const
type Step = (typeof steps)[number]

function ordersOf(rest: readonly Step[]): Step[][] {
  if (rest.length === 0) return [[]]
  return rest.flatMap((first) =>
    ordersOf(rest.filter((step) => step !== first)).map((order) => [first, ...order])
  )
}

/** All orders in which the stored decision comes before the rejected one. */
const orders = ordersOf(steps).filter(
  (order) => order.indexOf('decision') < order.indexOf('rejected decision')
)
const cases = orders.flatMap((order) =>
  [0, 7000].flatMap((laterMs) =>
    (['agent_id', 'session_id'] as const).map(
      (member) => [member, order.join(', '), laterMs, order] as const
    )
  )
)

test.each(cases)(
  'keeps the evaluation of the stored decision: other %s; %s; received %d ms later',
  async (member, _, laterMs, order) => {
    const names = { agent_id: null, session_id: null, [member]: 'one' }
    const first = aDecision({ organization_id, ...names, output: 'Fine.' })
    const changes = { [member]: 'two', output: '', received_at: noon + laterMs }
    const second = { ...first, ...changes }
    const [ours, others] = evaluated(first, second) as [Evaluation, Evaluation]
    const perform: Record<Step, () => Promise<unknown>> = {
      decision: () => storage.storeDecisions(first),
      'rejected decision': () => storage.storeDecisions(second),
      evaluation: () => storage.storeEvaluations(ours),
      'evaluation of the rejected': () => storage.storeEvaluations(others)
    }
    for (const step of order) await perform[step]()
    await evaluateDeferred(first)
    expect(await storedRuns(first)).toEqual([
      {
        ...names,
        received_at: new Date(noon),
        statuses: ours.runs.map(({ status }) => status.at(status === 'skipped' ? 1 : 0)),
        passed: ours.runs.map(({ passed }) => passed)
      }
    ])
    expect(await findSumDifferences(storage.database, organization_id)).toEqual([])
  }
)

test('keeps a score that a user pushed to the stored decision', async () => {
  const first = aDecision({ organization_id, agent_id: 'one', output: 'Fine.' })
  const second = { ...first, agent_id: 'two', output: '' }
  const [others] = evaluated(second) as [Evaluation]
  await storage.storeEvaluations(others)
  await storage.storeDecisions(first)
  const run = aRun({ rule: pushRuleId, rule_id: pushRuleId, evaluator_kind: 'human' })
  const { decision_id, agent_id, session_id } = first
  const pushed = { organization_id, decision_id, agent_id, session_id, later_runs: [run] }
  await storage.storeEvaluations(anEvaluation(pushed))
  await storage.storeDecisions(second)
  const scoresOf = () =>
    storage.database.query('select name from scores where decision_id = $1', [decision_id])
  expect(await scoresOf()).toEqual(run.scores.map(({ name }) => ({ name })))
  await evaluateDeferred(first)
  expect((await scoresOf()).length).toBeGreaterThan(run.scores.length)
  expect(await findSumDifferences(storage.database, organization_id)).toEqual([])
})

test('evaluates the stored decision again if the other was erased unstored', async () => {
  const first = aDecision({ organization_id, agent_id: 'one', output: 'Fine.' })
  const second = { ...first, agent_id: 'erased', output: '' }
  const [ours, others] = evaluated(first, second) as [Evaluation, Evaluation]
  await storage.storeEvaluations(others)
  await storage.storeEvaluations(ours)
  const rule = { organization_id, scope: 'agent', subject: 'erased' } as const
  await beginErasure(storage.postgres, { ...rule, requested_by: 'me', reason: null })
  await storage.storeDecisions(first)
  expect(await storage.storeDecisions(second)).toEqual(['erased'])
  await evaluateDeferred(first)
  expect(await storedRuns(first)).toMatchObject([{ agent_id: 'one' }])
  expect(await findSumDifferences(storage.database, organization_id)).toEqual([])
})

test('corrects an evaluation that another transaction is storing', async () => {
  const first = aDecision({ organization_id, agent_id: 'one', output: 'Fine.' })
  const second = { ...first, agent_id: 'two', output: '', received_at: noon + 7000 }
  const [ours, others] = evaluated(first, second) as [Evaluation, Evaluation]
  const release = await holdSums()
  const storing = storage.storeEvaluations(others)
  await waitUntil('the evaluation is inserted and waits for its sums', () => areWaiting(1))
  await storage.storeDecisions(first)
  const rejecting = storage.storeDecisions(second)
  await waitUntil('the correction waits as well', () => areWaiting(2))
  await release()
  await Promise.all([storing, rejecting])
  await storage.storeEvaluations(ours)
  await evaluateDeferred(first)
  expect(await storedRuns(first)).toMatchObject([
    { agent_id: 'one', passed: ours.runs.map(({ passed }) => passed) }
  ])
  expect(await findSumDifferences(storage.database, organization_id)).toEqual([])
})

test('deletes a plan that may belong to the rejected decision', async () => {
  const first = aDecision({ organization_id, agent_id: 'one' })
  const second = { ...first, agent_id: 'two' }
  await storage.storeDecisions(first)
  await storage.database.query(
    `insert into evaluation_plans
            (organization_id, decision_id, received_at, rule_set_version, outcomes, runs)
     values ($1, $2, $3, 0, '{planned}', 1)`,
    [organization_id, first.decision_id, new Date(noon)]
  )
  await storage.storeDecisions(second)
  const tables = ['evaluation_plans', 'deferred_decisions'].map((table) =>
    storage.database.query(`select 1 from ${table} where decision_id = $1`, [first.decision_id])
  )
  expect((await Promise.all(tables)).map(({ length }) => length)).toEqual([0, 1])
})

test('plans with rows wait for a correction', async () => {
  const { postgres } = storage
  const release = await holdCorrectionLock()
  const storePlans = createStorePlans({ postgres, clock })
  const rulePlan = { rule_set_version: 0, outcomes: ['not_matched' as const], runs: [] }
  const decision = aDecision({ organization_id })
  const storing = storePlans([{ decision, rulePlan }], null)
  await waitUntil('the plan waits', () => areWaiting(1))
  await release()
  expect(await storing).toEqual([{ kind: 'planned' }])
})

test('does not plan another agent or session with the time of the stored decision', async () => {
  const first = aDecision({ organization_id, agent_id: 'one' })
  const second = { ...first, agent_id: 'two' }
  await storage.storeDecisions(first)
  await storage.storeDecisions(second)
  const { postgres } = storage
  const storePlans = createStorePlans({ postgres, clock })
  const rulePlan = { rule_set_version: 0, outcomes: ['not_matched' as const], runs: [] }
  expect(await storePlans([{ decision: second, rulePlan }], null)).toEqual([{ kind: 'duplicate' }])
  expect(await storePlans([{ decision: first, rulePlan }], null)).toEqual([{ kind: 'planned' }])
})

test('keeps scores that were given and are not published yet', async () => {
  const first = aDecision({ organization_id, agent_id: 'one' })
  const second = { ...first, agent_id: 'two' }
  await storage.storeEvaluations(...evaluated(second))
  await storage.storeDecisions(first)
  const runs = [
    ['push', 'human', 0, 'finished'],
    ['answered', 'external', 0, 'finished'],
    ['replayed', 'llm_judge', 1, 'scheduled'],
    ['judged', 'llm_judge', 0, 'finished'],
    ['waiting', 'external', 0, 'scheduled']
  ] as const
  for (const [rule, kind, generation, status] of runs) {
    await storage.database.query(
      `insert into pending_runs (organization_id, decision_id, run_id, rule_id, rule, evaluator_id,
         evaluator, evaluator_kind, evaluator_version, generation, received_at, status, expires_at)
       values ($1, $2, gen_random_uuid(), $3, $3, 'e', 'e', $4, 1, $5, now(), $6, now())`,
      [organization_id, first.decision_id, rule, kind, generation, status]
    )
  }
  await storage.storeDecisions(second)
  const left = await storage.database.query(
    'select rule_id from pending_runs where decision_id = $1 order by 1',
    [first.decision_id]
  )
  expect(left.map(({ rule_id }) => rule_id)).toEqual(['answered', 'push', 'replayed'])
})

test('a conflict within one agent and session does not wait for a correction', async () => {
  const release = await holdCorrectionLock()
  const first = aDecision({ organization_id })
  await storage.storeDecisions(first)
  expect(await storage.storeDecisions({ ...first, output: 'Other.' })).toEqual(['dead_letter'])
  await release()
})

test('a correction defers a decision again while a process evaluates it', async () => {
  const first = aDecision({ organization_id, agent_id: 'one', output: 'Fine.' })
  const second = { ...first, agent_id: 'two', output: '' }
  await storage.storeEvaluations(...evaluated(second))
  await storage.storeDecisions(first)
  await deferDecisions(storage.postgres, [first], 0)
  const most = { decisions: 10, characters: 1000 }
  const query = { organizationId: organization_id, partitions: [0], most }
  const selected = await selectDeferred(storage.postgres, query)
  await storage.storeDecisions(second)
  await deleteDeferred(storage.postgres, selected)
  const again = await selectDeferred(storage.postgres, query)
  expect(again.map(({ decision_id }) => decision_id)).toEqual([first.decision_id])
  await deleteDeferred(storage.postgres, again)
  expect(await selectDeferred(storage.postgres, query)).toEqual([])
})

/** Makes transactions that store evaluations wait before their commit. */
function holdSums(): Promise<() => Promise<void>> {
  return hold(async (transaction) => {
    await transaction.query('lock table outcome_hours in exclusive mode')
  })
}

function holdCorrectionLock(): Promise<() => Promise<void>> {
  return hold(lockCorrectionsExclusive)
}

/** Runs `lock` in a transaction that stays open. Returns a function that ends the transaction. */
async function hold(lock: (transaction: Queryable) => Promise<void>): Promise<() => Promise<void>> {
  const released = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = storage.postgres.transaction(async (transaction) => {
    await lock(transaction)
    locked.resolve()
    await released.promise
  })
  await Promise.race([locked.promise, holding])
  return async () => {
    released.resolve()
    await holding
  }
}

async function areWaiting(count: number): Promise<boolean> {
  const [row] = await storage.database.query<{ waiting: string }>(
    `select count(*) as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
  )
  return Number(row?.waiting) === count
}

/** If the decision is deferred, evaluates it and stores its evaluation. */
async function evaluateDeferred(decision: Decision): Promise<void> {
  const deferred = await storage.database.query(
    `delete from deferred_decisions where decision_id = $1 returning received_at`,
    [decision.decision_id]
  )
  if (deferred.length > 0) await storage.storeEvaluations(...evaluated(decision))
}

async function storedRuns({ decision_id }: Decision) {
  return await storage.database.query(
    `select agent_id, session_id, received_at, statuses::text[], passed
       from evaluations where decision_id = $1`,
    [decision_id]
  )
}
