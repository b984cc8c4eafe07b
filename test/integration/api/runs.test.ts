/** Tests listing, reading, canceling and replaying runs over HTTP with a real database. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { LaterRun } from '../../../core/evaluation/evaluation.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import { aDecision, aRun } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { finished, storePendingRun, storeRuleSet } from './pending-runs.ts'
import { createScene, storeDecision, storeRun } from './scene.ts'
import type { Answer, Scene } from './scene.ts'

let scene: Scene

beforeAll(async () => {
  scene = await createScene()
})

interface List {
  readonly data: { run_id: string }[]
  readonly meta: { readonly next_cursor: string | null }
}

const runs = '/v1/evaluation/runs'
const first = Date.UTC(2026, 0, 10)
const at = (minutes: number): Date => new Date(first + minutes * 60_000)

async function aStoredDecision() {
  // Outputs are stored as JSON, hence the quotes.
  const output = '"Yes: within 30 days."'
  const decision = aDecision({ organization_id: scene.organizationId, output })
  await storeDecision(scene.database, decision)
  return decision
}

async function anEndedRun(minutes: number, members: Partial<LaterRun>): Promise<string> {
  const decision = await aStoredDecision()
  const run = aRun({ rule_id: 'rul_a', evaluator_id: 'evl_a', scores: [], ...members })
  await storeRun(scene.database, { ...decision, evaluated_at: at(minutes) }, run)
  return run.run_id
}

async function allOf(query: string): Promise<string[]> {
  const ids: string[] = []
  let cursor = ''
  do {
    const { status, body }: Answer<List> = await scene.get<List>(`${runs}?${query}${cursor}`)
    expect(status).toBe(200)
    ids.push(...body.data.map(({ run_id }) => run_id))
    cursor = body.meta.next_cursor === null ? '' : `&cursor=${body.meta.next_cursor}`
  } while (cursor !== '')
  return ids
}

describe('GET /v1/evaluation/runs', () => {
  const range = `from=${at(-1).toISOString()}&to=${at(60).toISOString()}`
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    ids['ok'] = await anEndedRun(0, {})
    ids['failed'] = await anEndedRun(1, { status: 'failed', status_reason: 'timeout' })
    ids['usual'] = await anEndedRun(2, { status: 'skipped', status_reason: 'not_applicable' })
    ids['skipped'] = await anEndedRun(4, { status: 'skipped', status_reason: 'content_missing' })
    const open = async (minutes: number, columns: object) =>
      (
        await storePendingRun(scene.database, await aStoredDecision(), {
          ...{ scheduled_at: at(minutes), evaluator_kind: 'llm_judge' },
          ...columns
        })
      ).run_id
    ids['blocked'] = await open(3, { status: 'blocked', status_reason: 'provider_auth' })
    ids['waiting'] = await open(5, { rule_id: 'rul_b' })
  })

  test('lists pending and ended runs once, newest first, for any page size', async () => {
    const expected = ['waiting', 'skipped', 'blocked', 'usual', 'failed', 'ok']
    for (const limit of [1, 2, 4, 200]) {
      const seen = await allOf(`${range}&limit=${limit}`)
      expect(seen).toEqual(expected.map((name) => ids[name]))
    }
  })

  test.each([
    ['status=failed', ['failed']],
    ['status=skipped', ['skipped', 'usual']],
    ['status=skipped&status_reason=content_missing', ['skipped']],
    ['status=skipped&status_reason=not_applicable', ['usual']],
    ['status=blocked', ['blocked']],
    ['status_reason=timeout', ['failed']],
    ['kind=llm_judge', ['waiting', 'blocked']],
    ['rule_id=rul_b', ['waiting']],
    ['evaluator_id=none', []]
  ])('filters by %s', async (filter, expected) => {
    expect(await allOf(`${range}&${filter}&limit=1`)).toEqual(expected.map((name) => ids[name]))
  })

  test('rejects an invalid filter, and hides runs of other organizations', async () => {
    for (const query of ['status=done', 'kind=bad']) {
      expect((await scene.get(`${runs}?${query}`)).body['code']).toBe('invalid_query')
    }
    const foreign = await scene.get<List>(`${runs}?${range}`, scene.foreignToken)
    expect(foreign.body.data).toEqual([])
  })
})

describe('GET /v1/evaluation/runs/{run_id}', () => {
  test('shows attempts and costs, and contents only to admins and owners', async () => {
    const decision = await aStoredDecision()
    const evaluator_id = `evl_${randomUUID().replaceAll('-', '')}`
    const config = { prompt: 'Grade {{output}}', scale: { type: 'rubric', min: 0, max: 5 } }
    await scene.database.query(
      `insert into evaluator_versions (organization_id, evaluator_id, version, name, kind, config,
                                       output, timeout_ms, config_hash, created_by)
       values ($1, $2, 1, 'judge', 'llm_judge', $3, '{}', 1000, 'sha256:0', 'test')`,
      [scene.organizationId, evaluator_id, JSON.stringify(config)]
    )
    const judged = { evaluator_id, evaluator_kind: 'llm_judge', cost_nano_usd: 2_500_000 }
    const run = aRun({ ...judged, model: 'small-1', status: 'failed', error: 'no JSON' })
    await storeRun(scene.database, decision, run)
    const ids = [scene.organizationId, decision.decision_id, run.run_id]
    await scene.database.query(
      `insert into run_attempts (organization_id, decision_id, run_id, attempt, outcome, nano_usd,
                                 reply)
       values ($1, $2, $3, 2, 'failed', 1500000, 'no'), ($1, $2, $3, 1, 'retry', null, 'hm')`,
      ids
    )
    const path = `${runs}/${run.run_id.toUpperCase()}`
    const { body } = await scene.get(path)
    expect(body).toMatchObject({
      ...{ run_id: run.run_id, status: 'failed', usd: 0.0025, model: 'small-1', error: 'no JSON' },
      attempts: [
        { attempt: 1, usd: null, reply: 'hm' },
        { attempt: 2, usd: 0.0015, reply: 'no', outcome: 'failed' }
      ]
    })
    expect(JSON.stringify(body['prompt'])).toContain('within 30 days')
    for (const credential of [scene.tokenAs('member'), scene.apiKey]) {
      const answer = (await scene.get(path, credential)).body
      expect(answer).toMatchObject({ attempts: [{ reply: null }, { reply: null }], prompt: null })
    }
    expect((await scene.get(path, scene.foreignToken)).body['code']).toBe('run_not_found')
  })

  test('shows the newest 100 attempts, oldest first', async () => {
    const decision = await aStoredDecision()
    const run = aRun({ status: 'expired' })
    await storeRun(scene.database, decision, run)
    await scene.database.query(
      `insert into run_attempts (organization_id, decision_id, run_id, attempt, counted)
       select $1, $2, $3, attempt, false from generate_series(1, 130) as attempt`,
      [scene.organizationId, decision.decision_id, run.run_id]
    )
    const { body } = await scene.get<{ attempts: { attempt: number }[] }>(`${runs}/${run.run_id}`)
    const newest = Array.from({ length: 100 }, (_, index) => 31 + index)
    expect(body.attempts.map(({ attempt }) => attempt)).toEqual(newest)
  })

  test.each(['no-uuid', randomUUID()])('returns 404 for an unknown run: %s', async (id) => {
    const { status, body } = await scene.get(`${runs}/${id}`)
    expect([status, body['code']]).toEqual([404, 'run_not_found'])
  })

  test('cancels a run only while it is pending', async () => {
    const cancel = (id: string, token = scene.token) =>
      scene.post(`${runs}/${id}/cancel`, undefined, token)
    for (const status of ['scheduled', 'retrying', 'blocked', 'running']) {
      const open = await storePendingRun(scene.database, await aStoredDecision(), { status })
      const answer = await cancel(open.run_id)
      expect([answer.status, answer.body['status']]).toEqual([200, status])
      const again = await cancel(open.run_id)
      expect(again.body['cancel_requested_at']).toBe(answer.body['cancel_requested_at'])
      const [row] = await scene.database.query(
        'select cancel_requested_at, cancel_reason from pending_runs where run_id = $1',
        [open.run_id]
      )
      expect(row).toEqual({ cancel_requested_at: expect.any(Date), cancel_reason: 'user' })
    }
    const done = aRun()
    await storePendingRun(scene.database, await aStoredDecision(), finished(done))
    const stored = await anEndedRun(0, { status: 'expired' })
    for (const id of [done.run_id, stored]) {
      const { body } = await cancel(id)
      expect(body).toMatchObject({ status: 409, code: 'run_ended' })
      expect(body['detail']).toMatch(/^The run ended as \w+ at \d{4}-\d\d-\d\dT[\d:.]+Z\. /)
    }
    const unknown = randomUUID()
    expect((await cancel(unknown)).body).toMatchObject({
      ...{ code: 'run_not_found', detail: `The run ${unknown} does not exist.` }
    })
    const foreign = await storePendingRun(scene.database, aDecision())
    expect((await cancel(foreign.run_id)).body['code']).toBe('run_not_found')
    expect((await cancel(stored, scene.tokenAs('viewer'))).body['code']).toBe('role_missing')
  })
})

describe('a replay', () => {
  const replay = async (filter: object, more: object = {}) => {
    const { status, body } = await scene.post(`${runs}/replay`, { filter, ...more }, scene.token)
    expect(status).toBe(202)
    return body
  }

  async function failedRuns(count: number, members: Partial<LaterRun> = {}) {
    const rule_id = `rul_${randomUUID()}`
    const decisions = []
    for (let index = 0; index < count; index++) {
      const decision = await aStoredDecision()
      const run = aRun({ rule_id, evaluator_id: 'evl_a', scores: [], status: 'failed', ...members })
      await storeRun(scene.database, decision, run)
      decisions.push({ ...decision, run_id: run.run_id })
    }
    return { rule_id, decisions }
  }

  const openOf = (rule_id: string) =>
    scene.database.query('select * from pending_runs where rule_id = $1', [rule_id])

  test('creates a run of the next generation for each match, and links it', async () => {
    const { rule_id, decisions } = await failedRuns(3)
    const filter = { status: ['failed'], rule_id }
    const counts = { matched: 3, planned: 3, left: 0, more_than_matched: false, est_usd: 0 }
    expect(await replay(filter, { dry_run: true })).toEqual({ dry_run: true, ...counts })
    expect(await openOf(rule_id)).toEqual([])
    expect(await replay(filter)).toEqual({ dry_run: false, ...counts })
    const open = await openOf(rule_id)
    expect(open).toHaveLength(3)
    for (const { decision_id, run_id } of decisions) {
      const row = open.find((each) => each['decision_id'] === decision_id)
      expect(row).toMatchObject({
        ...{ replay_of: run_id, generation: 1, status: 'scheduled' },
        ...{ evaluator_version: 1, evaluator_id: 'evl_a', attempts: 0, max_attempts: 8 }
      })
      const { body } = await scene.get(`/v1/evaluation/${decision_id}`)
      expect(body).toMatchObject({
        status: 'pending',
        progress: { planned: 1, pending: 1 },
        runs: expect.arrayContaining([
          expect.objectContaining({ run_id, status: 'failed', superseded_by: row?.['run_id'] })
        ])
      })
    }
  })

  test('replays a run once, even in concurrent calls', async () => {
    const { rule_id } = await failedRuns(10)
    const filter = { status: ['failed', 'expired'], rule_id }
    const answers = await Promise.all(Array.from({ length: 4 }, () => replay(filter)))
    expect(answers.reduce((sum, answer) => sum + Number(answer['planned']), 0)).toBe(10)
    expect(await openOf(rule_id)).toHaveLength(10)
    expect(await replay(filter)).toMatchObject({ matched: 0, planned: 0 })
  })

  test('does not wait for storage in a dry run', async () => {
    const { rule_id, decisions } = await failedRuns(1)
    const postgres = createPostgres({
      ...{ url: scene.database.url, applicationName: 'storage' },
      ...{ connectionsMax: 1, statementTimeoutMs: 5000 }
    })
    onEnd(() => postgres.close())
    await postgres.transaction(async (transaction) => {
      const ids = decisions.map(({ run_id }) => run_id)
      await transaction.query('select from later_runs where run_id = any($1) for update', [ids])
      const filter = { status: ['failed'], rule_id }
      expect(await replay(filter, { dry_run: true })).toMatchObject({ matched: 1, planned: 1 })
    })
  })

  test('applies the limits of a deleted rule', async () => {
    const { rule_id } = await failedRuns(1)
    const budget = { usd_per_day: 2, calls_per_day: 3, on_exhausted: 'skip' }
    const terms = { rule_id, budget, ttl_seconds: 60, max_attempts: 2 }
    await scene.database.query(
      `insert into evaluation_rules (organization_id, rule_id, name, definition, deleted_at)
       values ($1, $2, $2, $3, now())`,
      [scene.organizationId, rule_id, JSON.stringify(terms)]
    )
    expect(await replay({ status: ['failed'], rule_id })).toMatchObject({ planned: 1 })
    const [open] = await openOf(rule_id)
    expect(open).toMatchObject({ max_attempts: 2, budget: JSON.stringify(budget) })
  })

  test('replays named decisions, except pushed scores and erased decisions', async () => {
    await storeRuleSet(scene.database, scene.organizationId, { version: 7, names: ['seven'] })
    const { decisions } = await failedRuns(2, { rule_id: 'rul_seven', status: 'expired' })
    const pushed = await failedRuns(1, { rule_id: 'push' })
    const erased = await failedRuns(1)
    await scene.database.query('update decision_ids set erased_at = now() where decision_id = $1', [
      erased.decisions[0]?.decision_id
    ])
    const all = [...decisions.slice(0, 1), ...pushed.decisions, ...erased.decisions]
    const decision_ids = all.map(({ decision_id }) => decision_id.toUpperCase())
    const filter = { status: ['failed', 'expired', 'skipped', 'canceled'], decision_ids }
    expect(await replay(filter)).toMatchObject({ matched: 1, planned: 1 })
    const [open, ...others] = await openOf('rul_seven')
    expect(others).toEqual([])
    expect(open).toMatchObject({ decision_id: decisions[0]?.decision_id, max_attempts: 5 })
    const [scheduled, expires] = [open?.['scheduled_at'], open?.['expires_at']] as [Date, Date]
    expect(Math.round((+expires - +scheduled) / 10_000)).toBe(360)
  })

  test('estimates the cost of judges, or returns null if unknown', async () => {
    const evaluator_id = `evl_${randomUUID()}`
    const judged = { evaluator_kind: 'llm_judge', evaluator_id }
    const { rule_id } = await failedRuns(4, judged)
    const filter = { status: ['failed'], rule_id }
    expect(await replay(filter, { dry_run: true })).toMatchObject({ est_usd: null })
    await scene.database.query(
      `insert into evaluation_spend (organization_id, rule_id, evaluator_id, day, calls, nano_usd,
                                     unpriced_calls)
       values ($1, 'r', $2, current_date - 1, 12, 5000000, 2)`,
      [scene.organizationId, evaluator_id]
    )
    expect(await replay(filter, { dry_run: true })).toMatchObject({ est_usd: 0.002 })
  })

  test('reports the runs left beyond the limit', async () => {
    const { rule_id, decisions } = await failedRuns(1)
    await scene.database.query(
      `insert into later_runs
       select (json_populate_record(r, json_build_object('run_id', id, 'evaluator_id', id))).*
         from (select gen_random_uuid() as id from generate_series(1, 1199)) ids
         join later_runs r on r.run_id = $1`,
      [decisions[0]?.run_id]
    )
    const filter = { status: ['failed'], rule_id }
    expect(await replay(filter)).toMatchObject({ matched: 1200, planned: 1000, left: 200 })
    expect(await replay(filter)).toMatchObject({ matched: 200, planned: 200, left: 0 })
  })

  test.each([
    [{}, '/filter'],
    [{ filter: { status: ['succeeded'] } }, '/filter/status/0'],
    [{ filter: { status: ['failed'], from: 'x' } }, '/filter/from'],
    [{ filter: { status: ['failed'], decision_ids: ['x'] } }, '/filter/decision_ids/0']
  ])('rejects an invalid body with a pointer %#', async (body, pointer) => {
    const answer = await scene.post(`${runs}/replay`, body, scene.token)
    expect([answer.status, answer.body['errors']]).toMatchObject([422, [{ pointer }]])
    const viewer = await scene.post(`${runs}/replay`, body, scene.tokenAs('viewer'))
    expect(viewer.body['code']).toBe('role_missing')
  })
})
