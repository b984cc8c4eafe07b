/** Tests statistics over HTTP with a real database: counts, rates, scores, gaps, groups and errors.
 */
import { beforeAll, describe, expect, test } from '@jest/globals'
import { storeAgentUsage } from '../../support/agent-usage.ts'
import type { AgentDecision } from '../../support/agent-usage.ts'
import { findSumDifferences } from '../../support/find-sum-differences.ts'
import { createScene } from './scene.ts'
import type { Scene } from './scene.ts'

const day = Date.UTC(2026, 0, 10)
const at = (hours: number): Date => new Date(day + hours * 3_600_000)
const range = 'from=2026-01-10T00:00:00Z&to=2026-01-11T00:00:00Z'

interface Measured {
  readonly value: number | null
  readonly n: number
  readonly ci: readonly number[] | null
}

interface Series {
  readonly metric: string
  readonly key: Record<string, string | null>
  readonly is_other: boolean
  readonly version: number | null
  readonly points: readonly (Measured & { readonly t: string })[]
  readonly total: Measured
  readonly previous: (Measured & { readonly change: number | null }) | null
}

interface Stats {
  readonly series: readonly Series[]
  readonly breaks: readonly Record<string, unknown>[]
  readonly meta: {
    readonly applied: Record<string, unknown>
    readonly groups_total: number
    readonly cut: boolean
  }
}

let scene: Scene

function tone(value: number, version: number) {
  return { name: 'tone', value, evaluator_id: 'evl_tone', evaluator_version: version }
}

const judged = { status: 'evaluated', verdict: 'pass' }
const usage: readonly AgentDecision[] = [
  { received_at: at(-20), agent_id: 'a', domain: 'x', input_tokens: 5 },
  {
    ...{ received_at: at(1.5), agent_id: 'a', domain: 'x', input_tokens: 100, output_tokens: 10 },
    ...{ model: 'm1', agent_version: '1', latency_ms: 100, is_error: false, ...judged },
    scores: [tone(0.5, 1)]
  },
  {
    ...{ received_at: at(2.2), agent_id: 'a', domain: 'y', input_tokens: 200, output_tokens: 20 },
    ...{ model: 'm2', agent_version: '2', latency_ms: 300, is_error: true },
    ...{ status: 'evaluated', verdict: 'fail', scores: [tone(0.9, 2)] }
  },
  { received_at: at(2.4), agent_id: 'b', domain: 'x', model: 'm1', input_tokens: 1000 },
  { received_at: at(5), domain: 'x', ...judged, scores: [tone(0.7, 2)] }
]

beforeAll(async () => {
  scene = await createScene()
  await storeAgentUsage(scene.database, scene.organizationId, usage)
  await scene.database.query(
    `insert into agent_profiles (organization_id, agent_id, prices, updated_by)
     values ($1, 'a', $2, 'test')`,
    [
      scene.organizationId,
      '{"m1": {"input_usd_per_million": 10000, "output_usd_per_million": 20000}}'
    ]
  )
})

async function statsOf(query: string, token?: string): Promise<Stats> {
  const { status, body } = await scene.get<Stats>(`/v1/decisions/stats?${query}`, token)
  expect(status).toBe(200)
  return body
}

/** Runs a query that returns exactly one series. */
async function onlySeries(query: string): Promise<Series> {
  const { series } = await statsOf(query)
  expect(series).toHaveLength(1)
  return series[0] as Series
}

test('reads the same sums as storage writes', async () => {
  const differing = await findSumDifferences(scene.database, scene.organizationId)
  // The rows of `evaluations` differ, because the test stores evaluations without their runs.
  expect(differing.filter(({ table }) => table !== 'evaluations')).toEqual([])
})

test('counts by hour, and fills gaps with zeros', async () => {
  const { points, total } = await onlySeries(`${range}&interval=hour`)
  expect(points).toHaveLength(24)
  expect(points.slice(0, 4).map(({ value }) => value)).toEqual([0, 1, 2, 0])
  expect(points[1]).toEqual({ t: '2026-01-10T01:00:00.000Z', value: 1, n: 1, ci: null })
  expect(total).toEqual({ value: 4, n: 4, ci: null })
})

test.each([
  ['input_tokens', 1300, 3],
  ['output_tokens', 30, 2],
  ['total_tokens', 1330, 3],
  ['error_rate', 0.5, 2],
  ['latency_ms', 200, 2],
  ['pass_rate', 2 / 3, 3],
  ['cost', 1.2, 1]
])('measures %s with its count', async (metric, value, n) => {
  const { total, points } = await onlySeries(`${range}&metrics=${metric}&interval=hour`)
  expect(total.n).toBe(n)
  expect(total.value).toBeCloseTo(value, 9)
  expect(points[0]).toEqual({ t: '2026-01-10T00:00:00.000Z', value: null, n: 0, ci: null })
})

test('counts a decision with half of its tokens once for the cost', async () => {
  const any = '{"*": {"input_usd_per_million": 10000, "output_usd_per_million": 20000}}'
  await scene.database.query(
    `insert into agent_profiles (organization_id, agent_id, prices, updated_by)
     values ($1, 'b', $2, 'test')`,
    [scene.organizationId, any]
  )
  const { total } = await onlySeries(`${range}&metrics=cost&agent_id=b`)
  expect([total.value, total.n]).toEqual([10, 1])
  await scene.database.query(`delete from agent_profiles where agent_id = 'b'`)
})

test('returns a series for each evaluator version of a score, and a break in between', async () => {
  const { series, breaks } = await statsOf(`${range}&metrics=score:tone&interval=hour`)
  expect(series.map(({ version, total }) => [version, total.value, total.n])).toEqual([
    [1, 0.5, 1],
    [2, 0.8, 2]
  ])
  expect(series[1]?.total.ci?.[0]).toBeCloseTo(0.604, 3)
  expect(breaks).toEqual([
    {
      ...{ at: '2026-01-10T02:00:00.000Z', metric: 'score:tone', key: {}, is_other: false },
      ...{ evaluator_id: 'evl_tone', from_version: 1, to_version: 2 }
    }
  ])
})

describe('groups', () => {
  test.each([
    ['agent_id', 'count', { a: 2, b: 1, null: 1 }],
    ['domain', 'count', { x: 3, y: 1 }],
    ['model', 'count', { m1: 2, m2: 1 }],
    ['agent_version', 'count', { '1': 1, '2': 1 }],
    ['status', 'count', { evaluated: 3, null: 1 }],
    ['verdict', 'count', { pass: 2, fail: 1, none: 1 }],
    ['agent_id', 'pass_rate', { a: 0.5, null: 1 }],
    ['agent_id', 'cost', { a: 1.2, b: null, null: null }],
    ['model', 'cost', { m1: 1.2, m2: null, null: null }]
  ])('by %s, of %s', async (group, metric, expected) => {
    const { series } = await statsOf(`${range}&group_by=${group}&metrics=${metric}`)
    const found = series.map(({ key, total }) => [String(key[group]), total.value] as const)
    expect(Object.fromEntries(found)).toEqual(expected)
  })

  test('by two fields', async () => {
    const { series } = await statsOf(`${range}&group_by=agent_id,model`)
    expect(series.map(({ key, total }) => [key['agent_id'], key['model'], total.n])).toEqual([
      ['a', 'm1', 1],
      ['a', 'm2', 1],
      ['b', 'm1', 1]
    ])
  })

  test('sums up groups beyond the largest fifty', async () => {
    const other = await createScene()
    const many = Array.from({ length: 60 }, (_, index) => {
      return { received_at: at(1), agent_id: `agent-${index}` }
    })
    await storeAgentUsage(other.database, other.organizationId, many)
    const { body } = await other.get<Stats>(`/v1/decisions/stats?${range}&group_by=agent_id`)
    expect(body.series).toHaveLength(51)
    expect(body.series.filter(({ is_other }) => is_other).map(({ total }) => total.n)).toEqual([10])
    expect(body.meta).toMatchObject({ groups_total: 60, cut: true })
  })
})

test('filters by agent, without an agent, and by domain', async () => {
  expect((await onlySeries(`${range}&agent_id=a`)).total.n).toBe(2)
  expect((await onlySeries(`${range}&agent_id=_unattributed`)).total.n).toBe(1)
  expect((await onlySeries(`${range}&domain=x&metrics=pass_rate`)).total.n).toBe(2)
})

test('compares with the previous period', async () => {
  const { previous } = await onlySeries(`${range}&compare=previous&interval=none`)
  expect(previous).toEqual({ value: 1, n: 1, ci: null, change: 3 })
})

test('starts days in the time zone', async () => {
  const { points } = await onlySeries(`${range}&interval=day&tz=America/New_York`)
  expect(points.map(({ t, n }) => [t, n])).toEqual([
    ['2026-01-09T05:00:00.000Z', 3],
    ['2026-01-10T05:00:00.000Z', 1]
  ])
})

test('shows nothing to another organization', async () => {
  const { series } = await statsOf(`${range}&metrics=count,cost,pass_rate`, scene.foreignToken)
  expect(series.map(({ total }) => [total.value, total.n])).toEqual([
    [0, 0],
    [null, 0],
    [null, 0]
  ])
})

test.each([
  ['metrics=nothing', '/metrics'],
  ['metrics=count,count', '/metrics'],
  ['metrics=score:', '/metrics'],
  ['group_by=agent_id,domain,status', '/group_by'],
  ['group_by=colour', '/group_by'],
  ['group_by=model,domain', '/group_by'],
  ['group_by=domain&metrics=cost', '/group_by'],
  ['group_by=model&domain=x', '/domain'],
  ['tz=%2B02:00', '/tz'],
  ['tz=Mars/Olympus', '/tz'],
  ['window=100d', '/window'],
  ['window=1h&from=2026-01-10T00:00:00Z', '/window'],
  ['window=90d&interval=hour', '/interval'],
  ['from=2020-01-01T00:00:00Z', '/from'],
  ['from=2999-01-01T00:00:00Z', '/from'],
  ['colour=red', '/colour']
])('refuses %s', async (query, pointer) => {
  const { status, body } = await scene.get<{ code: string; errors: { pointer: string }[] }>(
    `/v1/decisions/stats?${query}`
  )
  expect([status, body.code, body.errors[0]?.pointer]).toEqual([422, 'invalid_query', pointer])
})

test('rejects API keys of any scope', async () => {
  const key = scene.keyWith('profiles:read', 'admin')
  expect((await scene.get('/v1/decisions/stats', key)).status).toBe(401)
})
