/** Tests planning: which rules apply to a decision, and what happens if it is delivered again. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { createPlanDecisions } from '../../../consumers/evaluation/plan.ts'
import { createReadExhausted } from '../../../consumers/evaluation/exhausted-rules.ts'
import { createRuleSets } from '../../../consumers/evaluation/rule-sets.ts'
import { createStorePlans } from '../../../consumers/evaluation/store-plans.ts'
import { done, duplicate, erased } from '../../../core/message-outcome.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import type { ResolvedRule } from '../../../core/evaluation/rule.ts'
import { runIdOf } from '../../../core/ids/run-id.ts'
import { defaultRuleSet } from '../../../evaluators/default-rule-set.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import { aDecision, noon } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { aRule, aVersion } from '../../unit/evaluators/planning/a-rule.ts'

let database: TestDatabase
let postgres: Postgres

beforeAll(async () => {
  database = await createTestDatabase()
  postgres = createPostgres({
    url: database.url,
    applicationName: 'test',
    connectionsMax: 5,
    statementTimeoutMs: 20_000
  })
  onEnd(() => postgres.close())
})

const short = aVersion({ evaluator_id: 'evl_short' })
const judge = aVersion({
  ...{ evaluator_id: 'evl_judge', name: 'judge', kind: 'llm_judge' },
  config: { connection_id: 'con_1' }
})
const pushed = aVersion({ evaluator_id: 'evl_pushed', name: 'pushed', kind: 'external' })

async function saveRules(organizationId: string, version: number, rules: readonly ResolvedRule[]) {
  await database.query(
    `insert into rule_sets (organization_id, version, content, created_by)
     values ($1, $2, $3, 'test')`,
    [organizationId, version, JSON.stringify({ version, rules })]
  )
}

/**
 * Simulates another process with an empty rule cache, because a process would keep using cached
 * rules for several seconds.
 */
function createProcess() {
  const planDecisions = createPlanDecisions({
    ruleSets: createRuleSets({ postgres, clock: { now: () => Date.now() } }),
    readExhausted: createReadExhausted(postgres),
    storePlans: createStorePlans({ postgres, clock: { now: () => Date.now() } })
  })
  return (decisions: readonly Decision[], consumption = begin) =>
    planDecisions(decisions, consumption)
}

const begin = { groupId: 'group', topic: 'topic', partition: 0, nextOffset: 0n, epoch: 0 }

test('records the beginning of a batch with its plans, even an earlier one', async () => {
  const place = { groupId: 'group', topic: randomUUID(), partition: 3 }
  const recorded = () =>
    database.query(
      `select next_offset::integer from consumed_offsets where topic = $1 and group_id = 'group'`,
      [place.topic]
    )
  const process = createProcess()
  await process([aDecision()], { ...place, nextOffset: 40n, epoch: 0 })
  expect(await recorded()).toEqual([{ next_offset: 40 }])
  await process([], { ...place, nextOffset: 7n, epoch: 0 })
  expect(await recorded()).toEqual([{ next_offset: 7 }])
})

async function rowsOf(table: string, { organization_id }: Decision) {
  return await database.query(`select * from ${table} where organization_id = $1`, [
    organization_id
  ])
}

const namesOf = ({ runs }: { runs: readonly { evaluator: { name: string } }[] }): string[] =>
  runs.map(({ evaluator }) => evaluator.name)

/** Stores packed runs in the same way as storage. */
async function storePackedRow({ organization_id, decision_id, received_at }: Decision) {
  await database.query(
    `insert into evaluations (organization_id, decision_id, received_at, status, verdict,
                              run_kinds, statuses)
     values ($1, $2, $3, 'evaluated', 'pass', '{1}', '{s}')`,
    [organization_id, decision_id, new Date(received_at)]
  )
}

test('publishes the plan of the default rule with its runs and stores no row for it', async () => {
  const decision = aDecision()
  const [planned] = await createProcess()([decision])
  expect(planned?.outcome).toBe(done)
  expect(planned?.runs).toHaveLength(defaultRuleSet.rules[0]?.evaluators.length ?? 0)
  expect(planned?.plan).toMatchObject({ rule_set_version: 0, outcomes: ['planned'] })
  expect(await rowsOf('evaluation_plans', decision)).toEqual([])
})

test('plans a redelivered decision again until its runs are stored', async () => {
  const decision = aDecision()
  const [first, again] = [await createProcess()([decision]), await createProcess()([decision])]
  expect(again).toEqual(first)
  await storePackedRow(decision)
  const nothing = { decision, plan: null, runs: [], opened: 0, outcome: duplicate }
  expect(await createProcess()([decision])).toEqual([nothing])
  // A new rule that would insert pending runs changes nothing.
  await saveRules(decision.organization_id, 1, [aRule({ evaluators: [short, judge] })])
  expect(await createProcess()([decision])).toEqual([nothing])
  expect(await rowsOf('pending_runs', decision)).toEqual([])
})

test('stores a row for a plan without runs', async () => {
  const decision = aDecision()
  await saveRules(decision.organization_id, 1, [aRule({ match: { domains: ['billing'] } })])
  const [planned] = await createProcess()([decision])
  expect(planned).toMatchObject({ plan: null, runs: [], outcome: done })
  expect(await rowsOf('evaluation_plans', decision)).toMatchObject([
    { rule_set_version: 1, outcomes: ['domain'], runs: 0 }
  ])
})

test('runs offline evaluators now, and inserts runs of judges and of pushed scores', async () => {
  const decision = aDecision()
  const rule = aRule({ evaluators: [short, judge, pushed], ttl_seconds: 60, max_attempts: 3 })
  const other = aRule({ rule_id: 'rul_2', match: { domains: ['billing'] } })
  await saveRules(decision.organization_id, 1, [rule, other])
  const [planned] = await createProcess()([decision])
  expect(namesOf(planned ?? { runs: [] })).toEqual(['short'])
  expect(await rowsOf('evaluation_plans', decision)).toMatchObject([
    { rule_set_version: 1, outcomes: ['planned', 'domain'], runs: 3 }
  ])
  const open = await rowsOf('pending_runs', decision)
  const { organization_id, decision_id } = decision
  const origin = { organization_id, decision_id, rule_id: 'rul_1', version: 1, generation: 0 }
  expect(open.map(({ run_id }) => run_id).toSorted()).toEqual(
    ['evl_judge', 'evl_pushed'].map((id) => runIdOf({ ...origin, evaluator_id: id })).toSorted()
  )
  const waiting = open.find(({ evaluator }) => evaluator === 'judge')
  expect(waiting).toMatchObject({
    ...{ status: 'scheduled', connection_id: 'con_1', max_attempts: 3, attempts: 0 },
    ...{ agent_id: decision.agent_id, session_id: decision.session_id, domain: decision.domain }
  })
  const expiresAt = waiting?.['expires_at'] as Date
  expect(expiresAt.getTime() - (waiting?.['scheduled_at'] as Date).getTime()).toBeGreaterThan(0)
})

test('stores no plan if its runs cannot be inserted', async () => {
  const decision = aDecision()
  const rule = aRule({ evaluators: [judge] })
  await saveRules(decision.organization_id, 1, [{ ...rule, max_attempts: 2 ** 40 }])
  await expect(createProcess()([decision])).rejects.toThrow('out of range')
  expect(await rowsOf('evaluation_plans', decision)).toEqual([])
  expect(await rowsOf('pending_runs', decision)).toEqual([])
  await saveRules(decision.organization_id, 2, [rule])
  expect((await createProcess()([decision]))[0]?.outcome).toBe(done)
})

test('uses the original plan of a redelivered message until its runs are stored', async () => {
  const decision = aDecision()
  const { organization_id, decision_id } = decision
  await saveRules(organization_id, 1, [aRule({ evaluators: [short, judge] })])
  await createProcess()([decision])
  const changed = aVersion({ evaluator_id: 'evl_short', version: 2 })
  await saveRules(organization_id, 2, [aRule({ evaluators: [changed, judge, pushed] })])

  const again = await createProcess()([decision])
  expect(again[0]?.outcome).toBe(done)
  expect(again[0]?.runs.map(({ evaluator }) => evaluator.version)).toEqual([1])
  expect(await rowsOf('pending_runs', decision)).toHaveLength(1)

  await database.query(
    `insert into later_runs (organization_id, decision_id, run_id, rule, evaluator,
       evaluator_kind, evaluator_version, generation, status, attempts, received_at,
       evaluated_at)
     values ($1, $2, $3, 'r', 'judge', 'llm_judge', 1, 0, 'succeeded', 1, now(), now())`,
    [organization_id, decision_id, randomUUID()]
  )
  expect((await createProcess()([decision]))[0]?.runs).toHaveLength(1)
  await storePackedRow(decision)
  expect(await createProcess()([decision])).toEqual([
    { decision, plan: null, runs: [], opened: 0, outcome: duplicate }
  ])
})

test('treats a retry and another decision with the id as duplicates', async () => {
  const decision = aDecision()
  const retry = { ...decision, received_at: noon + 5 }
  const planDecisions = createProcess()
  const planned = await planDecisions([decision, retry, decision])
  expect(planned.map(({ outcome }) => outcome)).toEqual([done, duplicate, duplicate])
  await database.query(
    `insert into decision_ids (organization_id, decision_id, received_at, fingerprint)
     values ($1, $2, $3, '')`,
    [decision.organization_id, decision.decision_id, new Date(noon)]
  )
  const [later] = await planDecisions([{ ...retry, output: 'Something else.' }])
  expect(later).toMatchObject({ outcome: duplicate, runs: [] })
})

test('plans nothing for a decision that is erased, by rule or tombstone', async () => {
  const [byRule, byTombstone, alive] = [aDecision(), aDecision(), aDecision()]
  await database.query(
    `insert into erasures (erasure_id, organization_id, scope, subject, received_until,
                           requested_by)
     values ($1, $2, 'agent', $3, now(), 'test')`,
    [randomUUID(), byRule.organization_id, byRule.agent_id]
  )
  await database.query(
    `insert into decision_ids (organization_id, decision_id, received_at, fingerprint, erased_at)
     values ($1, $2, now(), '', now())`,
    [byTombstone.organization_id, byTombstone.decision_id]
  )
  const planned = await createProcess()([byRule, byTombstone, alive])
  expect(planned.map(({ outcome }) => outcome)).toEqual([erased, erased, done])
  expect(await rowsOf('evaluation_plans', byRule)).toEqual([])
  expect(await rowsOf('evaluation_plans', byTombstone)).toEqual([])
})

test('plans nothing for a rule that spent its daily budget, unless it waits', async () => {
  const decision = aDecision()
  const { organization_id } = decision
  const budget = { usd_per_day: 0.5, calls_per_day: null, on_exhausted: 'skip' } as const
  await saveRules(organization_id, 1, [
    aRule({ evaluators: [judge], budget }),
    aRule({ rule_id: 'rul_2', evaluators: [judge], budget: { ...budget, on_exhausted: 'wait' } }),
    aRule({ rule_id: 'rul_3', budget: { ...budget, usd_per_day: null, calls_per_day: 3 } })
  ])
  const spend = (rule: string, day: string, nano: number): Promise<unknown> =>
    database.query(
      `insert into evaluation_spend (organization_id, rule_id, evaluator_id, day, calls, nano_usd)
       values ($1, $2, $3, (now() at time zone 'utc')::date + $4::integer, 2, $5)`,
      [organization_id, rule, randomUUID(), day, nano]
    )
  await spend('rul_1', '-1', 9e9)
  for (const rule of ['rul_1', 'rul_1', 'rul_2']) await spend(rule, '0', 250_000_000)
  await spend('rul_3', '0', 0)
  await createProcess()([decision])
  expect(await rowsOf('evaluation_plans', decision)).toMatchObject([
    { outcomes: ['budget_exhausted', 'planned', 'planned'] }
  ])
  await spend('rul_3', '0', 0)
  const next = { ...aDecision(), organization_id }
  await createProcess()([next])
  const plans = await rowsOf('evaluation_plans', next)
  expect(plans.find(({ decision_id }) => decision_id === next.decision_id)).toMatchObject({
    outcomes: ['budget_exhausted', 'planned', 'budget_exhausted']
  })
})
