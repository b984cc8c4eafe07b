/** Tests agent profiles over HTTP with a real database: lists, parts of a profile, and edits. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { storeAgentUsage } from '../../support/agent-usage.ts'
import type { AgentDecision } from '../../support/agent-usage.ts'
import { createScene } from './scene.ts'
import type { Scene } from './scene.ts'

const hourMs = 3_600_000
const day = Date.UTC(2026, 0, 10)

const now = Date.now()
const ago = (hours: number): Date => new Date(now - hours * hourMs)
const hostile = `../%2e"'; drop table agents; -- 💥 <b>/?#&`

let scene: Scene

function tone(value: number, passed: boolean, evaluator_version: number) {
  return { name: 'tone', value, passed, evaluator_id: 'evl_tone', evaluator_version }
}

const judged = { status: 'evaluated', verdict: 'pass', scores: [tone(0.9, true, 2)] }
const failedId = randomUUID()

function refunds(hours: number, members: Partial<AgentDecision>): AgentDecision {
  return { received_at: ago(hours), agent_id: 'refunds', session_id: 's1', ...members }
}

const usage: readonly AgentDecision[] = [
  refunds(24 * 20, { input_tokens: 7, agent_version: '1', model: 'm1' }),
  refunds(30, { input_tokens: 50 }),
  refunds(5, {
    ...{ domain: 'eu', input_tokens: 100, output_tokens: 10, model: 'm1', agent_version: '2' },
    ...{ latency_ms: 100, is_error: false, sdk_version: 'sluice-sdk/1', ...judged }
  }),
  refunds(4, {
    ...{ domain: 'us', input_tokens: 300, output_tokens: 30, model: 'm2', agent_version: '2' },
    ...{ latency_ms: 500, is_error: true, session_id: 's2', decision_id: failedId },
    ...{ status: 'partial', verdict: 'fail', scores: [tone(0.1, false, 2)] }
  }),
  refunds(0.1, { session_id: null }),
  { received_at: ago(3), agent_id: hostile, ...judged },
  { received_at: ago(2) },
  { received_at: ago(24 * 3), agent_id: '_unattributed' },
  // An agent that sent twenty decisions an hour until it stopped.
  ...Array.from({ length: 20 * 24 * 9 }, (_, index) => {
    return { received_at: ago(12 + index / 20), agent_id: 'busy' }
  })
]

beforeAll(async () => {
  scene = await createScene()
  await storeAgentUsage(scene.database, scene.organizationId, usage)
})

interface Row {
  readonly agent_id: string
  readonly status: string
  readonly volume: { readonly now: number }
}

interface List {
  readonly data: readonly (Row & Record<string, unknown>)[]
  readonly meta: { readonly next_cursor: string | null }
}

async function listed(query = ''): Promise<List['data']> {
  const { status, body } = await scene.get<List>(`/v1/profiles?${query}`)
  expect(status).toBe(200)
  return body.data
}

async function idsOf(query: string): Promise<string[]> {
  return (await listed(query)).map(({ agent_id }) => agent_id)
}

function pathOf(agentId: string, part = ''): string {
  return `/v1/profiles/${encodeURIComponent(agentId)}${part}`
}

async function profileOf(agentId: string, query = ''): Promise<Record<string, unknown>> {
  const { status, body } = await scene.get(`${pathOf(agentId)}?${query}`)
  expect([agentId, status]).toEqual([agentId, 200])
  return body
}

describe('GET /v1/profiles', () => {
  test('lists agents with their measures, busiest first', async () => {
    const rows = await listed()
    expect(rows.map(({ agent_id, status }) => [agent_id, status])).toEqual([
      ['busy', 'silent'],
      ['refunds', 'active'],
      ['_unattributed', 'new'],
      [hostile, 'new'],
      ['__unattributed', 'idle']
    ])
    expect(rows[1]).toMatchObject({
      volume: { now: 3, previous: 1 },
      tokens: { input: 400, output: 40 },
      cost: null,
      pass_rate: { value: 0.5, n: 2 },
      error_rate: { value: 0.5, n: 2 },
      evaluation: { evaluated: 1, partial: 1, failed: 0 },
      versions: ['2'],
      sdk_versions: ['sluice-sdk/1']
    })
    const sparkline = rows[1]?.['sparkline'] as { n: number }[]
    expect(sparkline.length).toBeLessThanOrEqual(24)
    expect(sparkline.reduce((sum, { n }) => sum + n, 0)).toBe(3)
  })

  test.each([
    ['q=FUND', ['refunds']],
    ['q=drop%20table', [hostile]],
    ['status=silent', ['busy']],
    ['status=archived', []],
    ['sort=name&q=u', ['__unattributed', '_unattributed', 'busy', 'refunds']],
    ['sort=pass_rate', ['refunds', hostile, '_unattributed', '__unattributed', 'busy']],
    ['sort=-last_seen&q=r', ['refunds', '_unattributed', hostile, '__unattributed']]
  ])('%s', async (query, expected) => {
    expect((await idsOf(query)).toSorted()).toEqual([...expected].toSorted())
  })

  test('lists each agent once over all pages', async () => {
    const found: string[] = []
    let cursor = ''
    do {
      const { body } = await scene.get<List>(`/v1/profiles?limit=2&sort=last_seen${cursor}`)
      found.push(...body.data.map(({ agent_id }) => agent_id))
      cursor = body.meta.next_cursor === null ? '' : `&cursor=${body.meta.next_cursor}`
    } while (cursor !== '')
    expect(found).toEqual(['__unattributed', 'busy', hostile, '_unattributed', 'refunds'])
  })

  test.each(['cursor=x', 'window=91d', 'window=0h', 'sort=colour', 'status=odd', 'limit=201'])(
    'refuses %s',
    async (query) => {
      const { status, body } = await scene.get(`/v1/profiles?${query}`)
      expect([status, body['code']]).toEqual([422, 'invalid_query'])
    }
  )

  test('rejects a cursor from a list with another order', async () => {
    const { body } = await scene.get<List>('/v1/profiles?limit=1')
    const other = `/v1/profiles?limit=1&sort=name&cursor=${body.meta.next_cursor}`
    expect((await scene.get(other)).status).toBe(422)
  })
})

describe('GET /v1/profiles/{agent_id}', () => {
  test('returns all parts of a profile', async () => {
    const profile = await profileOf('refunds')
    expect(profile).toMatchObject({
      ...{ agent_id: 'refunds', name: null, tags: [], status: 'active', silence: null },
      volume: { now: 3, previous: 1 },
      tokens: {
        input: { total: 400, n: 2, p50: 100, p95: 300 },
        output: { total: 40, n: 2, p50: 10, p95: 30 },
        output_per_input: 0.1
      },
      ...{ cost: null, error_rate: { value: 0.5, n: 2 } },
      pass_rate: { value: 0.5, n: 2, previous: { value: null, n: 0 } },
      verdicts: { pass: 1, fail: 1, mixed: 0, none: 1 },
      evaluation: { evaluated: 1, partial: 1, failed: 0, without_runs: 1 },
      latency_ms: { value: 300, n: 2, p50: 100, p95: 500 },
      sessions: { count: 2, decisions: 2, decisions_per_session: 1 },
      sample: { n: 3 },
      versions: [
        { value: '2', decisions: 2 },
        { value: '1', decisions: 0 }
      ],
      sdk_versions: [{ value: 'sluice-sdk/1', decisions: 1 }],
      worst: [{ decision_id: failedId, verdict: 'fail', failed_scores: ['tone'] }]
    })
    expect(profile['scores']).toMatchObject([
      { name: 'tone', version: 2, n_scored: 2, n_eligible: 3, mean: 0.5, pass_rate: { n: 2 } }
    ])
    const domains = profile['domains'] as { domain: string | null }[]
    expect(domains.map(({ domain }) => domain).toSorted()).toEqual(['eu', null, 'us'])
  })

  test('needs at most eight statements, and none reads all decisions', async () => {
    await profileOf('refunds')
    const before = scene.statementTexts.length
    await profileOf('refunds')
    const asked = scene.statementTexts.slice(before)
    expect(asked.length).toBeLessThanOrEqual(8)
    const whole = asked.filter((statement) => /from decisions\b/.test(statement))
    expect(whole.every((statement) => /limit \d+/.test(statement))).toBe(true)
  })

  test('reports a silence with its start and the expected decisions', async () => {
    const { silence } = await profileOf('busy')
    expect(silence).toMatchObject({ since: ago(12).toISOString(), expected: 240 })
  })

  test.each([hostile, '_unattributed', '__unattributed'])('finds agent %s', async (agentId) => {
    const { agent_id, sample } = await profileOf(agentId, 'window=7d')
    expect([agent_id, sample]).toMatchObject([agentId, { n: 1 }])
  })

  test.each(['nobody', '\u0000', 'a'.repeat(5000), '\ud800'.toWellFormed(), '%', "' or 1=1"])(
    'returns 404 for %j',
    async (agentId) => {
      const { status, body } = await scene.get(pathOf(agentId))
      expect([status, body['code']]).toEqual([404, 'agent_not_found'])
    }
  )

  test('requires the scope profiles:read of an API key', async () => {
    const key = scene.keyWith('profiles:read')
    expect((await scene.get(pathOf('refunds'), key)).status).toBe(200)
    expect((await scene.get(pathOf('refunds'), scene.apiKey)).status).toBe(403)
  })

  const parts = [
    '',
    '/timeseries',
    '/scores',
    '/versions',
    '/domains',
    '/sessions',
    '/ingestion',
    '/decisions'
  ]
  test.each([...parts, '/compare?a=1&b=2'])(
    'hides agents of other organizations: %s',
    async (part) => {
      const { status, body } = await scene.get(pathOf('refunds', part), scene.foreignToken)
      expect([status, body['code']]).toEqual([404, 'agent_not_found'])
    }
  )
})

describe('parts of a profile', () => {
  async function partOf(part: string): Promise<Record<string, unknown>> {
    const { status, body } = await scene.get(pathOf('refunds', part))
    expect(status).toBe(200)
    return body
  }

  test('returns trends of the agent by version', async () => {
    const { series } = await partOf('/timeseries?group_by=version&window=30d')
    const found = series as { key: object; total: { n: number } }[]
    expect(found.map(({ key, total }) => [key, total.n])).toEqual([
      [{ agent_version: '2' }, 2],
      [{ agent_version: '1' }, 1]
    ])
  })

  test('lists scores by name', async () => {
    expect(await partOf('/scores?name=tone')).toMatchObject({ scores: [{ n_scored: 2 }] })
    expect(await partOf('/scores?name=other')).toMatchObject({ scores: [] })
  })

  test('lists sessions, last used first', async () => {
    const { sessions, count } = await partOf('/sessions')
    expect(count).toBe(2)
    expect(sessions).toMatchObject([
      { session_id: 's2', decisions: 1, input_tokens: 300 },
      { session_id: 's1', decisions: 2, input_tokens: 150 }
    ])
  })

  test('reports null for ingestion while the counters are unavailable', async () => {
    expect(await partOf('/ingestion')).toMatchObject({ ingestion: null })
    scene.readUsage.agentIngestion = (organizationId, agentId) => {
      const isAsked = organizationId === scene.organizationId && agentId === 'refunds'
      if (!isAsked) return Promise.resolve(null)
      const hours = [{ hour: day, rejected: 2, dropped: 1 }]
      return Promise.resolve({ rejected: { invalid_decision: 2 }, dropped: { buffer: 1 }, hours })
    }
    const ingestion = {
      ...{ rejected: { invalid_decision: 2 }, dropped: { buffer: 1 } },
      hours: [{ t: '2026-01-10T00:00:00.000Z', rejected: 2, dropped: 1 }]
    }
    expect(await partOf('/ingestion')).toMatchObject({ ingestion })
    expect(await profileOf('refunds')).toMatchObject({ ingestion })
  })

  test('lists decisions of the agent for sessions, not for API keys', async () => {
    const { data } = await partOf('/decisions?limit=2')
    expect(data).toMatchObject([{ agent_id: 'refunds' }, { decision_id: failedId }])
    const key = scene.keyWith('profiles:read')
    expect((await scene.get(pathOf('refunds', '/decisions'), key)).status).toBe(401)
    expect((await scene.get(pathOf('nobody', '/decisions'))).status).toBe(404)
    const { body } = await scene.get<List>(pathOf('_unattributed', '/decisions'))
    expect(body.data.map(({ agent_id }) => agent_id)).toEqual([null])
    const { body: reserved } = await scene.get<List>(pathOf('__unattributed', '/decisions'))
    expect(reserved.data.map(({ agent_id }) => agent_id)).toEqual(['_unattributed'])
  })

  test('lists versions and models', async () => {
    expect(await partOf('/versions?window=30d')).toMatchObject({
      versions: [{ value: '2' }, { value: '1', decisions: 1, input_tokens: 7 }],
      models: [
        { value: 'm2', cost: null },
        { value: 'm1', cost: null }
      ]
    })
  })

  test('compares two versions', async () => {
    const compared = await partOf('/compare?a=1&b=2&window=30d')
    expect(compared).toMatchObject({
      ...{ a: { version: '1', n: 1 }, b: { version: '2', n: 2 } },
      measures: {
        input_tokens: { a: { value: 7, n: 1 }, b: { value: 200, n: 2 }, delta: 193, ci: null },
        error_rate: { a: { value: null, n: 0 }, delta: null }
      }
    })
  })

  test('compares scores of the same evaluator version', async () => {
    const half = { value: 0.5, n: 2 }
    expect(await partOf('/compare?a=2&b=2')).toMatchObject({
      scores: [
        {
          ...{ name: 'tone', source: 'evaluator', evaluator_id: 'evl_tone', version: 2 },
          mean: { a: half, b: half, delta: 0, ci: null, significant: null },
          pass_rate: { a: half, b: half, delta: 0, significant: false }
        }
      ]
    })
  })

  test('rejects an unknown version', async () => {
    const { status, body } = await scene.get(pathOf('refunds', '/compare?a=2&b=9'))
    expect([status, body['errors']]).toMatchObject([422, [{ pointer: '/b' }]])
  })
})

describe('PATCH /v1/profiles/{agent_id}', () => {
  const prices = { m1: { input_usd_per_million: 10_000, output_usd_per_million: 0 } }

  test('lets a member update some fields, and audits the change', async () => {
    const path = pathOf(hostile)
    const send = (body: object) => scene.send({ method: 'PATCH', path, body, role: 'member' })
    expect((await send({ name: 'Ann', tags: ['a', 'a', 'b'] })).body).toMatchObject({ name: 'Ann' })
    const { status, body } = await send({ owner: 'us', description: null })
    expect(status).toBe(200)
    expect(body).toMatchObject({ agent_id: hostile, name: 'Ann', owner: 'us', tags: ['a', 'b'] })
    expect(await idsOf('tag=b')).toEqual([hostile])
    expect(await idsOf('q=ann')).toEqual([hostile])
    const log = await scene.database.query(
      `select action, target_id, details from audit_log where organization_id = $1`,
      [scene.organizationId]
    )
    expect(log).toHaveLength(2)
    expect(log).toContainEqual({
      ...{ action: 'profile.changed', target_id: hostile },
      details: '{"members":["name","tags"]}'
    })
  })

  test('computes the cost as far as prices are known', async () => {
    await scene.send({ method: 'PATCH', path: pathOf('refunds'), body: { prices } })
    const cost = { usd: 1, price_source: 'profile' }
    const { cost: found } = await profileOf('refunds')
    expect(found).toMatchObject(cost)
    expect((found as { priced_share: number }).priced_share).toBeCloseTo(110 / 440, 9)
    expect((await listed('q=refunds'))[0]?.['cost']).toMatchObject(cost)
    expect((await idsOf('sort=-cost'))[0]).toBe('refunds')
  })

  test('lists archived agents on request, and unarchives them', async () => {
    const send = (archived: boolean) =>
      scene.send({ method: 'PATCH', path: pathOf('busy'), body: { archived } })
    expect((await send(true)).body['archived_at']).toEqual(expect.any(String))
    expect(await idsOf('q=busy')).toEqual([])
    expect(await idsOf('q=busy&status=archived')).toEqual(['busy'])
    expect(await profileOf('busy')).toMatchObject({ status: 'archived', silence: null })
    expect((await send(false)).body['archived_at']).toBeNull()
    expect(await idsOf('q=busy')).toEqual(['busy'])
  })

  test.each<[object, string]>([
    [{}, ''],
    [{ colour: 'red' }, '/colour'],
    [{ name: 'a\u0000' }, '/name'],
    [{ name: '\ud800' }, '/name'],
    [{ name: 'a'.repeat(201) }, '/name'],
    [{ tags: Array.from({ length: 21 }, String) }, '/tags'],
    [{ prices: { m: { input_usd_per_million: -1, output_usd_per_million: 1 } } }, '/prices/m'],
    [{ prices: { 'm\u0000': { input_usd_per_million: 1, output_usd_per_million: 1 } } }, '/prices'],
    [{ prices: { m: { input_usd_per_million: 1 } } }, '/prices/m']
  ])('refuses %j', async (body, pointer) => {
    const answer = await scene.send({ method: 'PATCH', path: pathOf('refunds'), body })
    expect([answer.status, answer.body['code']]).toEqual([422, 'invalid_body'])
    const [error] = answer.body['errors'] as { pointer: string }[]
    expect(error?.pointer.startsWith(pointer)).toBe(true)
  })

  test('rejects edits of an unknown agent, and by a viewer', async () => {
    const edit = { method: 'PATCH', body: { name: 'x' } } as const
    const of = (more: object) => scene.send({ ...edit, path: pathOf('refunds'), ...more })
    expect((await of({ path: pathOf('nobody') })).status).toBe(404)
    expect((await of({ organizationId: randomUUID() })).status).toBe(404)
    expect((await of({ role: 'viewer' })).status).toBe(403)
  })
})
