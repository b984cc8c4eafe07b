/** Tests previews of rules on recent decisions, over HTTP with a database. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import type { Decision } from '../../../core/decision/decision.ts'
import { frameTokensOf } from '../../../api/rules/preview-rule.ts'
import { aDecision } from '../../support/builders.ts'
import { aJudgeConfig } from '../../support/judges.ts'
import { createScene, storeDecision } from './scene.ts'
import type { Scene } from './scene.ts'

const path = '/v1/evaluation/rules/preview'
const dayMs = 86_400_000

interface Preview {
  readonly decisions: number
  readonly sampled_decisions: { readonly n: number }
  readonly matched: { share: number | null; n: number; interval: [number, number] | null }
  readonly matched_7d: number
  readonly est_runs_per_day: number
  readonly est_usd_per_day: number | null
  readonly assumes: readonly string[]
  readonly examples: readonly string[]
  readonly not_matched_by: Record<string, number>
  readonly errors: readonly { pointer: string }[]
}

let scene: Scene

/** Stores a decision and its hourly sum in the same way as storage. */
async function store(organization_id: string, members: Partial<Decision>): Promise<string> {
  const received_at = Date.now() - dayMs
  const decision = aDecision({ organization_id, received_at, ...members })
  await storeDecision(scene.database, decision)
  await scene.database.query(
    `insert into decision_hours values ($1, date_trunc('hour', $2::timestamptz), $3, $4,
                                        1, 0, 0, 0, 0, 0, 0, 0, 0)
     on conflict (organization_id, hour, agent_id, domain)
     do update set decisions = decision_hours.decisions + 1`,
    [organization_id, new Date(decision.received_at), decision.agent_id, decision.domain]
  )
  return decision.decision_id
}

async function preview(organizationId: string, rule: object): Promise<Preview> {
  const body = { evaluators: [{ evaluator_id: 'output_not_empty' }], ...rule }
  const { status, body: found } = await scene.send<Preview>({
    ...{ method: 'POST', path, body, organizationId, role: 'viewer' }
  })
  expect([status, found]).toEqual([200, expect.any(Object)])
  return found
}

beforeAll(async () => {
  scene = await createScene()
})

test('counts the decisions, the matches, and why the others do not match', async () => {
  const ours = randomUUID()
  const matching = [await store(ours, { domain: 'refunds', agent_id: 'a' })]
  matching.push(await store(ours, { domain: 'refunds-eu', agent_id: 'a' }))
  await store(ours, { domain: 'refunds', agent_id: 'b' })
  await store(ours, { domain: 'sales', agent_id: 'a' })
  await store(ours, { domain: 'refunds', received_at: Date.now() - 8 * dayMs })
  await store(randomUUID(), { domain: 'refunds', agent_id: 'a' })

  const match = { domains: ['refunds*'], agent_ids: ['a'] }
  const found = await preview(ours, { match })
  expect(found).toMatchObject({
    ...{ decisions: 4, sampled_decisions: { n: 4 }, matched_7d: 2 },
    matched: { share: 0.5, n: 2 },
    not_matched_by: { domain: 1, agent_id: 1 },
    ...{ est_usd_per_day: 0, est_runs_per_day: 0.286 }
  })
  expect(found.examples.toSorted()).toEqual(matching.toSorted())
  const [low, high] = found.matched.interval ?? []
  expect(low).toBeLessThan(0.5)
  expect(high).toBeGreaterThan(0.5)
})

test('samples as the planner does, and counts what is sampled out', async () => {
  const ours = randomUUID()
  await store(ours, { received_at: Date.now() - 8 * dayMs })
  for (let index = 0; index < 40; index++) await store(ours, {})
  const found = await preview(ours, { sampling: { rate: 0.5 } })
  expect(found).toMatchObject({ matched: { share: 1, n: 40 }, est_runs_per_day: 2.857 })
  expect(found.not_matched_by['sampled_out']).toBeGreaterThan(0)
  expect(found.not_matched_by['sampled_out']).toBeLessThan(40)
  expect(found.examples).toHaveLength(5)
  const none = await preview(ours, { sampling: { rate: 0 }, enabled: false })
  expect(none).toMatchObject({ est_runs_per_day: 0, not_matched_by: { sampled_out: 40 } })
})

test('uses only the days since the first decision of a new organization, and says so', async () => {
  const ours = randomUUID()
  for (let index = 0; index < 10; index++) await store(ours, {})
  const young = await preview(ours, {})
  // The age is measured from the start of the decision's hour, so it is 24 to 25 hours.
  expect(young.est_runs_per_day).toBeGreaterThan(10 * (24 / 25) - 0.01)
  expect(young.est_runs_per_day).toBeLessThanOrEqual(10)
  expect(young.assumes.join()).toMatch(/the first decision is 2[45] h old/)
  await store(ours, { received_at: Date.now() - 8 * dayMs })
  const old = await preview(ours, {})
  expect(old.est_runs_per_day).toBeCloseTo(10 / 7, 2)
  expect(old.assumes.join()).not.toContain('the first decision')
})

test('returns zeros and nulls without decisions', async () => {
  expect(await preview(randomUUID(), {})).toMatchObject({
    ...{ decisions: 0, matched: { share: null, n: 0, interval: null }, matched_7d: 0 },
    ...{ est_runs_per_day: 0, examples: [], not_matched_by: {} }
  })
})

test('reads metadata, and ignores metadata that is too large', async () => {
  const ours = randomUUID()
  await store(ours, { metadata: '{"tier":"gold"}' })
  await store(ours, { metadata: JSON.stringify({ tier: 'gold', more: 'x'.repeat(9000) }) })
  await store(ours, { metadata: '{"sluice.evaluation":true}' })
  const found = await preview(ours, { match: { metadata: { tier: ['gold'] } } })
  expect(found.not_matched_by).toEqual({ metadata: 1, loop_guard: 1 })
})

test('estimates the cost of judges, and returns null if a price is unknown', async () => {
  const ours = randomUUID()
  const connection_id = `con_${randomUUID().replaceAll('-', '')}`
  await scene.database.query(
    `insert into evaluation_connections (organization_id, connection_id, name, kind, base_url,
                                         models)
     values ($1, $2, 'c', 'openai_compatible', 'https://judge.example.com',
             '[{"model":"m","usd_per_million_input":1,"usd_per_million_output":10}]')`,
    [ours, connection_id]
  )
  const judge = aJudgeConfig({ prompt: 'Grade {{output}}.', system: 'Be exact.' })
  const insertJudge = async (model: string): Promise<string> => {
    const id = `evl_${randomUUID().replaceAll('-', '')}`
    const config = { ...judge, connection_id, model }
    await scene.database.query(
      `with e as (insert into evaluators values ($1, $2, $2, 1))
       insert into evaluator_versions (organization_id, evaluator_id, version, name, kind, config,
                                       output, timeout_ms, config_hash, created_by)
       values ($1, $2, 1, $2, 'llm_judge', $3, '{}', 1, 'sha256:', 'test')`,
      [ours, id, JSON.stringify(config)]
    )
    return id
  }
  for (let index = 0; index < 7; index++) {
    await store(ours, { input: '"x"', output: 'y'.repeat(3997) })
  }
  await store(ours, { received_at: Date.now() - 8 * dayMs })
  const evaluators = [{ evaluator_id: await insertJudge('m') }]
  const priced = await preview(ours, { evaluators })
  // One call a day: 4,000 characters (1,000 tokens), the prompt frame, and 300 output tokens.
  const tokens = 1000 + Math.ceil(frameTokensOf(judge))
  expect(frameTokensOf({ ...judge, system: 'x'.repeat(300) })).toBeGreaterThan(tokens - 1000 + 90)
  expect(priced.est_runs_per_day).toBe(1)
  expect(priced.est_usd_per_day).toBeCloseTo(tokens / 1e6 + 0.003, 9)
  expect(priced.assumes.join()).toContain(`${tokens} input and 300 output tokens`)
  // A two-byte character counts as one character.
  await scene.database.query(
    `update decisions set output = replace(output, 'y', 'é') where organization_id = $1`,
    [ours]
  )
  expect((await preview(ours, { evaluators })).est_usd_per_day).toBe(priced.est_usd_per_day)
  const unknown = await preview(ours, { evaluators: [{ evaluator_id: await insertJudge('n') }] })
  expect(unknown.est_usd_per_day).toBeNull()
  expect(unknown.assumes.join()).toContain('the price of n is unknown')
})

test('rejects an invalid rule with the same pointers as saving it', async () => {
  for (const [rule, pointer] of [
    [{ evaluators: [{ evaluator_id: 'evl_none' }] }, '/evaluators/0/evaluator_id'],
    [
      { evaluators: [{ evaluator_id: 'output_not_empty' }], sampling: { rate: 2 } },
      '/sampling/rate'
    ],
    [{}, '/evaluators']
  ] as const) {
    const refused = await scene.send<Preview>({ method: 'POST', path, body: rule })
    expect([refused.status, refused.body.errors]).toMatchObject([422, [{ pointer }]])
  }
})
