/** Tests that the cost of a read stays bounded as the data of an organization grows. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { pointsMax } from '../../../api/stats/routes.ts'
import { aDecision, aRun } from '../../support/builders.ts'
import { createScene, storeDecision, storeRun } from './scene.ts'
import type { Scene, Statement } from './scene.ts'

let scene: Scene
const agents = 40
const hours = 700

beforeAll(async () => {
  scene = await createScene()
  const { database, organizationId } = scene
  await database.query(
    `insert into agents
     select $1, 'agent-' || n, now() - interval '30 days', now() - n * interval '1 second'
       from generate_series(1, $2::int) n`,
    [organizationId, agents]
  )
  await database.query(
    `insert into decision_hours (organization_id, hour, agent_id, domain, decisions, input_tokens,
                                 output_tokens, input_tokens_known, output_tokens_known, errors,
                                 errors_known, latency_ms, latency_known)
     select $1, date_trunc('hour', now()) - h * interval '1 hour', 'agent-' || n, 'd', n,
            1, 1, 1, 1, 0, 1, 1, 1
       from generate_series(1, $2::int) n, generate_series(0, $3::int - 1) h`,
    [organizationId, agents, hours]
  )
  // Without statistics, Postgres would choose plans for small tables.
  await database.query('analyze decision_hours')
})

interface Stats {
  readonly series: readonly {
    readonly is_other: boolean
    readonly version: number | null
    readonly points: readonly unknown[]
    readonly total: { readonly n: number }
  }[]
  readonly meta: { readonly groups_total: number; readonly cut: boolean }
}

async function stats(query: string): Promise<Stats> {
  const { status, body } = await scene.get<Stats>(`/v1/decisions/stats?window=30d&${query}`)
  expect(status).toBe(200)
  return body
}

function pointsOf({ series }: Stats): number {
  return series.reduce((sum, { points }) => sum + points.length, 0)
}

function nOf({ series }: Stats): number {
  return series.reduce((sum, { total }) => sum + total.n, 0)
}

/** Returns the statements that reads send during `work`. */
async function statementsOf(work: () => Promise<unknown>): Promise<readonly Statement[]> {
  const before = scene.statements.length
  await work()
  return scene.statements.slice(before)
}

test('returns fewer series if each series has more points', async () => {
  const metrics = 'count,input_tokens,output_tokens,total_tokens,error_rate,latency_ms'
  const answer = await stats(`group_by=agent_id&interval=hour&metrics=${metrics}`)
  expect(pointsOf(answer)).toBeLessThanOrEqual(pointsMax)
  expect(answer.meta).toMatchObject({ groups_total: agents, cut: true })
  const [byAgent, all] = [
    await stats('group_by=agent_id&interval=hour&metrics=count'),
    await stats('metrics=count')
  ]
  // Groups without their own series are combined into one series.
  expect(byAgent.series.length).toBeLessThan(agents)
  expect(byAgent.series.filter(({ is_other }) => is_other)).toHaveLength(1)
  expect(nOf(byAgent)).toBe(nOf(all))
})

test('returns the largest series of a score with thousands of versions', async () => {
  await scene.database.query(
    `insert into score_hours (organization_id, hour, agent_id, domain, name, source_kind,
                              evaluator_id, evaluator_version, scores, valued, value_sum,
                              value_squares, judged, passed)
     select $1, date_trunc('hour', now()), 'agent-1', 'd', 'tone', 'evaluator', 'evl_tone', v,
            v, v, 0, 0, 0, 0
       from generate_series(1, 3000) v`,
    [scene.organizationId]
  )
  const answer = await stats('metrics=score:tone&interval=hour')
  expect(pointsOf(answer)).toBeLessThanOrEqual(pointsMax)
  expect(answer.meta.cut).toBe(true)
  const count = answer.series.length
  const newest = Array.from({ length: count }, (_, index) => 3001 - count + index)
  expect(answer.series.map(({ version }) => version).toSorted()).toEqual(newest)
})

test.each(['-volume', 'pass_rate', '-cost', 'last_seen', 'name'])(
  'reads one row per agent for a list by %s, and more only for the page',
  async (sort) => {
    const asked = await statementsOf(async () => {
      const { status, body } = await scene.get<{ data: unknown[] }>(
        `/v1/profiles?limit=2&window=24h&sort=${sort}`
      )
      expect([status, body.data.length]).toEqual([200, 2])
    })
    const rows = asked.map((statement) => statement.rows).toSorted((a, b) => b - a)
    expect(rows[0]).toBe(agents)
    expect(rows[1]).toBeLessThanOrEqual(2 * 6)
  }
)

test('reads runs only of evaluations that have not ended', async () => {
  const { database, organizationId: organization_id } = scene
  const [over, open] = [1, 2].map(() => aDecision({ organization_id, received_at: Date.now() }))
  if (over === undefined || open === undefined) throw new Error('no decisions')
  for (const decision of [over, open]) {
    await storeDecision(database, decision)
    await storeRun(database, decision, aRun({ run_id: randomUUID() }))
  }
  await database.query(
    `insert into evaluations (organization_id, decision_id, received_at, status, verdict,
                                    scores, counted)
     values ($1, $2, $3, 'partial', 'mixed', '{}', '{}')`,
    [organization_id, over.decision_id, new Date(over.received_at)]
  )
  let shown: unknown[] = []
  const asked = await statementsOf(async () => {
    const { body } = await scene.get<{ data: Record<string, unknown>[] }>('/v1/decisions')
    shown = [over, open].map(({ decision_id }) => {
      return body.data.find((each) => each['decision_id'] === decision_id)?.['evaluation']
    })
  })
  expect(shown).toEqual([
    { status: 'partial', verdict: 'mixed' },
    { status: 'evaluated', verdict: expect.any(String) }
  ])
  const read = asked.filter(({ text }) => text.includes('from later_runs r\n       left join'))
  expect(read.map(({ values }) => values[1])).toEqual([[open.decision_id]])
})

test('shortens pages with large evaluators, and lists each once', async () => {
  const { database, organizationId } = scene
  const count = 30
  await database.query(
    `insert into evaluators (organization_id, evaluator_id, name, version)
     select $1, 'evl_' || n, 'large-' || n, $3 from generate_series(1, $2::int) n`,
    [organizationId, count, count]
  )
  const config = JSON.stringify({ text: 'x'.repeat(250_000) })
  const output = JSON.stringify({
    ...{ name: 'large', data_type: 'boolean', min: null, max: null, labels: null },
    ...{ pass: null, threshold: null, direction: 'higher' }
  })
  await database.query(
    `insert into evaluator_versions (organization_id, evaluator_id, version, name, kind, config,
                                     output, timeout_ms, config_hash, created_by)
     select $1::uuid, 'evl_' || n, v, 'large-' || n, 'heuristic', $3::text, $4, 100, 'h', 'u'
       from generate_series(1, $2::int) n, generate_series($2::int - 1, $2::int) v
     union all
     select $1::uuid, 'evl_1', v, 'large-1', 'heuristic', $3::text, $4, 100, 'h', 'u'
       from generate_series(1, $2::int - 2) v`,
    [organizationId, count, config, output]
  )
  const evaluators = await pagesOf('/v1/evaluation/evaluators?limit=200')
  expect(Math.max(...evaluators.map((page) => page.length))).toBeLessThan(count)
  const own = evaluators.flat().filter(({ built_in }) => built_in === false)
  expect(new Set(own.map(({ evaluator_id }) => evaluator_id)).size).toBe(count)
  const versions = await pagesOf('/v1/evaluation/evaluators/evl_1/versions?limit=200')
  expect(Math.max(...versions.map((page) => page.length))).toBeLessThan(count)
  expect(versions.flat().map(({ version }) => version)).toEqual(
    Array.from({ length: count }, (_, index) => count - index)
  )
})

type Page = readonly Readonly<Record<string, unknown>>[]

async function pagesOf(path: string): Promise<Page[]> {
  const pages: Page[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const after: string = cursor === '' ? '' : `&cursor=${cursor}`
    const { body } = await scene.get<{ data: Page; meta: { next_cursor: string | null } }>(
      `${path}${after}`
    )
    pages.push(body.data)
    cursor = body.meta.next_cursor
  }
  return pages
}
