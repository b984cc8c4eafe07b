/** Tests lists, bulk statuses and summaries of scores over HTTP with a real database. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { LaterRun, Score } from '../../../core/evaluation/evaluation.ts'
import { aDecision, aRun, aScore } from '../../support/builders.ts'
import { finished, storePendingRun, storePlan } from './pending-runs.ts'
import { createScene, storeDecision, storeRun } from './scene.ts'
import type { Answer, Scene } from './scene.ts'

let scene: Scene

beforeAll(async () => {
  scene = await createScene()
})

const day = Date.UTC(2026, 0, 10)
const at = (hours: number): Date => new Date(day + hours * 3_600_000)

interface List {
  readonly data: (Record<string, unknown> & { score_id: string })[]
  readonly meta: { readonly next_cursor: string | null }
}

function ownDecision(members: object = {}) {
  return aDecision({ organization_id: scene.organizationId, ...members })
}

interface Given extends Partial<Score> {
  readonly version?: number
  readonly run?: Partial<LaterRun>
}

/** Stores a decision of the agent with one score. */
async function scored(
  evaluated_at: Date,
  { version = 1, run = {}, ...score }: Given,
  agent_id = 'agent-a'
): Promise<string> {
  const given = aScore({ name: 'tone', data_type: 'numeric', ...score })
  const ids = { rule_id: 'rul_a', evaluator_id: 'evl_tone', evaluator: 'tone' }
  const owner = { ...ownDecision({ agent_id }), evaluated_at }
  const ended = aRun({ ...ids, evaluator_version: version, scores: [given], ...run })
  await storeRun(scene.database, owner, ended)
  return given.score_id
}

async function allOf(path: string): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = []
  let cursor: string | null = null
  let pages = 0
  do {
    const next: string = cursor === null ? '' : `&cursor=${cursor}`
    const { status, body }: Answer<List> = await scene.get<List>(`${path}${next}`)
    expect(status).toBe(200)
    ids.push(...body.data.map(({ score_id }) => score_id))
    cursor = body.meta.next_cursor
    pages += 1
  } while (cursor !== null)
  return { ids, pages }
}

describe('GET /v1/evaluation/scores', () => {
  const range = `from=${at(-1).toISOString()}&to=${at(30).toISOString()}`
  let ids: string[]

  beforeAll(async () => {
    ids = []
    for (let hour = 0; hour < 7; hour++) {
      const passed = hour % 2 === 0
      const domain = hour < 3 ? 'refunds' : 'sales'
      const value = hour / 10
      const run = { scores: [] }
      await storeRun(scene.database, { ...ownDecision(), evaluated_at: at(hour) }, aRun(run))
      ids.push(await scored(at(hour), { value, passed }, `agent-${domain}`))
    }
  })

  test('lists each score once, newest first, for any page size', async () => {
    for (const limit of [1, 2, 3, 7, 200]) {
      const { ids: seen, pages } = await allOf(`/v1/evaluation/scores?${range}&limit=${limit}`)
      expect(seen).toEqual(ids.toReversed())
      expect(pages).toBe(Math.ceil(ids.length / limit))
    }
  })

  test.each([
    ['passed=false', [5, 3, 1]],
    ['passed=true&value_min=0.3', [6, 4]],
    ['value_max=0.1', [1, 0]],
    ['agent_id=agent-refunds', [2, 1, 0]],
    [
      'name=tone&evaluator_id=evl_tone&version=1&rule_id=rul_a&source=evaluator',
      [6, 5, 4, 3, 2, 1, 0]
    ],
    ['name=other', []],
    ['data_type=boolean', []],
    ['source=human', []],
    ['version=2', []]
  ])('filters by %s', async (filter, expected) => {
    const { ids: seen } = await allOf(`/v1/evaluation/scores?${range}&${filter}&limit=2`)
    expect(seen).toEqual(expected.map((index) => ids[index]))
  })

  test('shows a score with its source', async () => {
    const path = `/v1/evaluation/scores?${range}&limit=1`
    for (const credential of [scene.token, scene.apiKey]) {
      const { body } = await scene.get<List>(path, credential)
      expect(body.data[0]).toMatchObject({
        ...{ name: 'tone', value: 0.6, passed: true, source_kind: 'evaluator' },
        ...{ evaluator_id: 'evl_tone', evaluator_version: 1, agent_id: 'agent-sales' }
      })
    }
    expect((await scene.get<List>(path, scene.foreignToken)).body.data).toEqual([])
  })

  test.each([
    'from=yesterday',
    'cursor=x',
    'limit=0',
    'version=1.5',
    'passed=perhaps',
    'value_min=x',
    'other=1',
    'name=%00'
  ])('refuses %s', async (query) => {
    const { status, body } = await scene.get(`/v1/evaluation/scores?${query}`)
    expect([status, body['code']]).toEqual([422, 'invalid_query'])
  })
})

describe('POST /v1/evaluation/status', () => {
  test('returns all statuses in one response, with unknown ids', async () => {
    const [evaluated, planned, foreign] = [ownDecision(), ownDecision(), aDecision()]
    await storeDecision(scene.database, evaluated)
    await storeRun(scene.database, evaluated, aRun({ scores: [aScore({ name: 'a' })] }))
    await storePlan(scene.database, planned, { version: 0, outcomes: ['disabled'], runs: 0 })
    await storeDecision(scene.database, foreign)
    const unknown = randomUUID()
    const ids = [evaluated, planned, foreign].map(({ decision_id }) => decision_id)
    const decision_ids = [...ids, unknown, evaluated.decision_id.toUpperCase()]
    for (const credential of [scene.token, scene.apiKey]) {
      const { status, body } = await scene.post(
        '/v1/evaluation/status',
        { decision_ids },
        credential
      )
      expect(status).toBe(200)
      expect(body).toEqual({
        [evaluated.decision_id]: expect.objectContaining({
          status: 'evaluated',
          verdict: 'pass',
          scores: { a: { value: 1, passed: true, source: 'evaluator' } }
        }),
        [planned.decision_id]: expect.objectContaining({
          status: 'not_evaluated',
          reason: 'disabled'
        }),
        [foreign.decision_id]: { status: 'unknown', retryable: true },
        [unknown]: { status: 'unknown', retryable: true }
      })
    }
  })

  test.each([
    [{}, '/decision_ids'],
    [{ decision_ids: [] }, '/decision_ids'],
    [{ decision_ids: ['x'] }, '/decision_ids/0'],
    [{ decision_ids: Array.from({ length: 201 }, () => randomUUID()) }, '/decision_ids']
  ])('rejects an invalid body with a pointer %#', async (sent, pointer) => {
    const { status, body } = await scene.post('/v1/evaluation/status', sent, scene.token)
    expect([status, body['code']]).toEqual([422, 'invalid_body'])
    expect(body['errors']).toMatchObject([{ pointer }])
  })
})

describe('GET /v1/evaluation/{decision_id}/scores', () => {
  test('lists the newest score of each name and source, or all with history', async () => {
    const decision = ownDecision()
    const path = `/v1/evaluation/${decision.decision_id}/scores`
    expect((await scene.get(path)).status).toBe(404)
    await storeDecision(scene.database, decision)
    expect((await scene.get<List>(path)).body.data).toEqual([])
    const push = (value: number, hour: number) => {
      const score = aScore({ name: 'a', value, source_kind: 'human' })
      const ids = { rule: 'push', rule_id: 'push', evaluator: 'a', scores: [score] }
      const ended = { ...finished(aRun(ids)), finished_at: at(hour) }
      return storePendingRun(scene.database, decision, ended)
    }
    const machine = aRun({ scores: [aScore({ name: 'a', value: 5 }), aScore({ name: 'b' })] })
    await storeRun(scene.database, { ...decision, evaluated_at: at(0) }, machine)
    await push(1, 1)
    await push(2, 2)
    const valuesOf = async (query: string) =>
      (await scene.get<List>(`${path}${query}`)).body.data.map(({ name, value }) => [name, value])
    expect(await valuesOf('')).toEqual([
      ['a', 2],
      ['a', 5],
      ['b', 1]
    ])
    expect(await valuesOf('?history=true&name=a')).toEqual([
      ['a', 2],
      ['a', 1],
      ['a', 5]
    ])
    expect(await valuesOf('?source=human')).toEqual([['a', 2]])
  })
})

describe('GET /v1/evaluation/scores/summary', () => {
  interface Summary {
    readonly series: { key: object; version: number; source: string; points: object[] }[]
    readonly breaks: object[]
    readonly denominators: object[]
    readonly meta: Record<string, unknown>
  }
  const unbounded = { range_min: null, range_max: null }
  const from = at(24 * 10)
  const range = `from=${from.toISOString()}&to=${at(24 * 13).toISOString()}`
  const read = async (query = '') =>
    (await scene.get<Summary>(`/v1/evaluation/scores/summary?${range}${query}`)).body

  beforeAll(async () => {
    const first = 24 * 10
    for (const [index, value] of [0, 1, 1, 1].entries()) {
      await scored(at(first + index / 10), { value, passed: value === 1 })
    }
    await scored(at(first + 25), { value: 0.5, passed: null, version: 2 }, 'agent-b')
    await scored(at(first + 26), { name: 'tone', value: 0, source_kind: 'human' })
    const run = { evaluator_id: 'evl_tone', evaluator: 'tone', rule_id: 'rul_a', scores: [] }
    for (const status of ['failed', 'failed', 'expired', 'skipped', 'canceled'] as const) {
      const owner = { ...ownDecision({ agent_id: 'agent-a' }), evaluated_at: at(first + 2) }
      await storeRun(scene.database, owner, aRun({ ...run, status }))
    }
    const replayed = { ...ownDecision({ agent_id: 'agent-a' }), evaluated_at: at(first + 2) }
    const failed = aRun({ ...run, status: 'failed' })
    await storeRun(scene.database, replayed, failed)
    await scene.database.query('update later_runs set superseded_by = $1 where run_id = $2', [
      randomUUID(),
      failed.run_id
    ])
    const open = { evaluator_id: 'evl_tone', evaluator: 'tone', scheduled_at: at(first + 3) }
    await storePendingRun(scene.database, ownDecision({ agent_id: 'agent-a' }), open)
  })

  test('keeps the interval of a mean within the range of the values', async () => {
    const day = 24 * 20
    const bounds = { range_min: 0, range_max: 1 } as const
    for (const [index, value] of [0, 1, 1, 1].entries()) {
      const when = at(day + index / 10)
      await scored(when, { name: 'yes', data_type: 'boolean', value })
      await scored(when, { name: 'share', data_type: 'numeric', value, ...bounds })
      await scored(when, { name: 'free', data_type: 'numeric', value, ...unbounded })
    }
    const days = `from=${at(day).toISOString()}&to=${at(day + 24).toISOString()}`
    const path = `/v1/evaluation/scores/summary?${days}&interval=none`
    const { series } = (await scene.get<Summary>(path)).body
    const highs = series.map(({ key, points: [point] }) => {
      return { ...key, high: (point as { ci: number[] }).ci[1] }
    })
    expect(highs).toContainEqual({ name: 'yes', high: 1 })
    expect(highs).toContainEqual({ name: 'share', high: 1 })
    expect(highs).toContainEqual({ name: 'free', high: expect.closeTo(1.24, 2) })
  })

  test('separates versions and sources, and returns the count of every rate', async () => {
    const { series, breaks, denominators, meta } = await read('&interval=day')
    const trend = { key: { name: 'tone' }, evaluator_id: 'evl_tone', evaluator: 'tone' }
    expect(series).toHaveLength(3)
    expect(series[0]).toEqual({
      ...{ ...trend, source: 'evaluator', version: 1 },
      points: [
        {
          ...{ t: from.toISOString(), n: 4, mean: 0.75, n_judged: 4, n_passed: 3 },
          ...{ pass_rate: 0.75, ci: [expect.closeTo(0.26, 2), expect.closeTo(1.24, 2)] },
          pass_rate_ci: [expect.closeTo(0.3006, 4), expect.closeTo(0.9544, 4)]
        }
      ]
    })
    const later = series.slice(1)
    expect(later).toContainEqual(expect.objectContaining({ source: 'human', version: 1 }))
    const second = later.find(({ version }) => version === 2)
    expect(second?.points).toMatchObject([
      { n: 1, mean: 0.5, ci: null, n_judged: 0, pass_rate: null, pass_rate_ci: null }
    ])
    const changed = { at: at(24 * 10 + 25).toISOString(), from_version: 1, to_version: 2 }
    expect(breaks).toEqual([{ ...trend, ...changed }])
    const counts = { n_failed: 2, n_expired: 1, n_skipped: 1, n_canceled: 1, n_pending: 1 }
    expect(denominators).toEqual([{ key: { name: 'tone' }, n_planned: 12, n_scored: 6, ...counts }])
    expect(meta).toMatchObject({
      ...{ interval: 'day', group_by: ['name'] },
      cut: { scores_since: null, runs_since: null, groups: false }
    })
  })

  test('groups by several fields, and filters', async () => {
    const { series, denominators } = await read('&group_by=agent_id,rule_id&interval=none')
    const keys = series.map(({ key }) => key)
    expect(keys).toContainEqual({ agent_id: 'agent-b', rule_id: 'rul_a' })
    expect(denominators).toContainEqual(expect.objectContaining({ n_planned: 1, n_scored: 1 }))
    const one = await read('&group_by=&agent_id=agent-b&interval=none')
    expect(one.series).toMatchObject([{ key: {}, version: 2, points: [{ t: null, n: 1 }] }])
    expect(one.denominators).toMatchObject([{ key: {}, n_planned: 1 }])
    expect((await read('&name=none')).series).toEqual([])
    expect((await read('&group_by=model')).series).toMatchObject([{ key: { model: null } }, {}, {}])
  })

  test('uses hours for short ranges and days for long ones', async () => {
    expect((await read()).meta['interval']).toBe('hour')
    const long = await scene.get<Summary>('/v1/evaluation/scores/summary')
    expect(long.body.meta['interval']).toBe('day')
  })

  test.each([
    ['from=2025-01-01T00:00:00Z', '/from'],
    ['from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z&interval=hour', '/from'],
    ['group_by=session_id', '/group_by'],
    ['group_by=name,name', '/group_by'],
    ['interval=week', '/interval']
  ])('refuses %s', async (query, pointer) => {
    const { status, body } = await scene.get(`/v1/evaluation/scores/summary?${query}`)
    expect([status, body['errors']]).toMatchObject([422, [{ pointer }]])
  })
})
