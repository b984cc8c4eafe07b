/** Tests GET /v1/decisions over HTTP with a real database: order, filters, previews and invalid
 * queries.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import type { Decision } from '../../../core/decision/decision.ts'
import { aDecision, aRun, aScore } from '../../support/builders.ts'
import { createScene, reportProgress, storeDecision, storeRun } from './scene.ts'
import type { Scene } from './scene.ts'

interface Summary {
  readonly decision_id: string
  readonly input_preview: string
  readonly input_truncated: boolean
  readonly output_preview: string
  readonly output_truncated: boolean
  readonly evaluation: object
}

interface Page {
  readonly data: Summary[]
  readonly meta: { next_cursor: string | null; limit: number; as_of: string; lag_ms: number }
}

let scene: Scene
const hour = 3_600_000
const start = Date.UTC(2026, 0, 10)
const span = 'from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z'

async function store(overrides: Partial<Decision> = {}): Promise<string> {
  const decision = aDecision({
    organization_id: scene.organizationId,
    received_at: start,
    output: '"fine"',
    agent_id: 'other',
    session_id: null,
    domain: null,
    ...overrides
  })
  await storeDecision(scene.database, decision)
  return decision.decision_id
}

async function idsOf(query: string): Promise<string[]> {
  const { status, body } = await scene.get<Page>(`/v1/decisions?${query}`)
  expect(status).toBe(200)
  return body.data.map((row) => row.decision_id)
}

/** Reads all pages of a list and returns the ids of each page. */
async function walk(query: string): Promise<string[][]> {
  const pages: string[][] = []
  let cursor = ''
  do {
    const { body } = await scene.get<Page>(`/v1/decisions?${query}${cursor}`)
    pages.push(body.data.map((row) => row.decision_id))
    cursor = body.meta.next_cursor === null ? '' : `&cursor=${body.meta.next_cursor}`
  } while (cursor !== '' && pages.length < 100)
  return pages
}

beforeAll(async () => {
  scene = await createScene()
  const day = new Date(start).toISOString().slice(0, 10)
  await scene.database.query(`select ensure_day_partition('decisions', $1::date)`, [day])
})

test('lists each decision once, newest first, including decisions with the same time', async () => {
  const agent_id = 'walker'
  const expected: string[] = []
  for (const received_at of [start, start, start, start + 1, start + hour, start + 30 * hour]) {
    expected.push(await store({ agent_id, received_at }))
  }
  const pages = await walk(`${span}&agent_id=walker&limit=2`)
  expect(pages.map((page) => page.length)).toEqual([2, 2, 2])
  const sameMoment = expected.slice(0, 3).sort()
  expect(pages.flat()).toEqual([...expected.slice(3).toReversed(), ...sameMoment.toReversed()])
})

test('neither skips nor repeats decisions a microsecond apart', async () => {
  const ids: string[] = []
  for (let microsecond = 0; microsecond < 5; microsecond++) {
    const id = await store({ agent_id: 'precise' })
    const at = `2026-01-10T00:00:00.00000${microsecond}Z`
    await scene.database.query('update decisions set received_at = $2 where decision_id = $1', [
      id,
      at
    ])
    ids.push(id)
  }
  const pages = await walk(`${span}&agent_id=precise&limit=1`)
  expect(pages.flat()).toEqual(ids.toReversed())
})

test('filters by agent, session and domain, alone and combined', async () => {
  const session_id = `s${'ö'.repeat(999)}`
  const all = await store({ agent_id: 'a&b=c', session_id, domain: 'refunds' })
  const agent = await store({ agent_id: 'a&b=c', received_at: start + 1 })
  const session = await store({ session_id, received_at: start + 2 })
  const domain = await store({ domain: 'refunds', received_at: start + 3 })
  const text = encodeURIComponent
  expect(await idsOf(`${span}&agent_id=${text('a&b=c')}`)).toEqual([agent, all])
  expect(await idsOf(`${span}&session_id=${text(session_id)}`)).toEqual([session, all])
  expect(await idsOf(`${span}&domain=refunds`)).toEqual([domain, all])
  const three = `agent_id=${text('a&b=c')}&session_id=${text(session_id)}&domain=refunds`
  expect(await idsOf(`${span}&${three}`)).toEqual([all])
  expect(await idsOf(`${span}&${three}x`)).toEqual([])
})

test('includes decisions at `from` and excludes decisions at `to`', async () => {
  const ids = [
    await store({ agent_id: 'edge' }),
    await store({ agent_id: 'edge', received_at: start + 1000 })
  ]
  const at = '2026-01-10T00:00:00Z'
  const later = encodeURIComponent('2026-01-10T02:00:01+02:00')
  expect(await idsOf(`agent_id=edge&from=${at}&to=${later}`)).toEqual([ids[0]])
  expect(await idsOf(`agent_id=edge&from=${later}`)).toEqual([ids[1]])
})

test('covers the last seven days by default', async () => {
  const now = Date.now()
  const recent = await store({ agent_id: 'lately', received_at: now - 6 * 24 * hour })
  const ahead = await store({ agent_id: 'lately', received_at: now + 2000 })
  await store({ agent_id: 'lately', received_at: now - 8 * 24 * hour })
  expect(await idsOf('agent_id=lately')).toEqual([ahead, recent])
})

test('shows the first 240 characters of long texts', async () => {
  const input = `{"text":"${'漢🔑'.repeat(2000)}"}`
  const output = `"\\"${'\\u0000🔑'.repeat(2000)}"`
  const metadata = '{"name":"é"}'
  await store({ agent_id: 'long', input, output, metadata })
  const [row] = (await scene.get<Page>(`/v1/decisions?${span}&agent_id=long`)).body.data
  expect(row).toMatchObject({
    input_preview: [...input].slice(0, 240).join(''),
    input_truncated: true,
    input_bytes: Buffer.byteLength(input),
    output_bytes: Buffer.byteLength(output),
    metadata_bytes: Buffer.byteLength(metadata),
    fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    output_preview: `"${'\u0000🔑'.repeat(119)}\u0000`,
    output_truncated: true
  })
})

test('shows status and verdict', async () => {
  const decision_id = await store({ agent_id: 'judged' })
  const owner = { organization_id: scene.organizationId, decision_id }
  await storeRun(scene.database, owner, aRun({ scores: [aScore({ passed: false })] }))
  await storeRun(scene.database, owner, aRun({ rule: 'b', status: 'skipped', scores: [] }))
  const { body } = await scene.get<Page>(`/v1/decisions?${span}&agent_id=judged`)
  expect(body.data[0]?.evaluation).toEqual({ status: 'evaluated', verdict: 'fail' })
})

test('reports the storage lag', async () => {
  const asOf = new Date(Date.now() - 2000)
  await reportProgress(scene.database, asOf)
  const { meta } = (await scene.get<Page>('/v1/decisions?limit=3')).body
  expect(meta).toMatchObject({ limit: 3, as_of: asOf.toISOString() })
  expect(meta.lag_ms).toBeGreaterThanOrEqual(2000)
})

test('shows nothing to another organization, whatever the query', async () => {
  await store({ agent_id: 'walker' })
  const { body } = await scene.get<Page>(`/v1/decisions?${span}&limit=1`)
  const paths = [span, `${span}&agent_id=walker`, `${span}&limit=1&cursor=${body.meta.next_cursor}`]
  for (const query of paths) {
    const foreign = await scene.get<Page>(`/v1/decisions?${query}`, scene.foreignToken)
    expect([foreign.status, foreign.body.data]).toEqual([200, []])
  }
})

function cursorTo(sortKey: string): string {
  return Buffer.from(JSON.stringify([sortKey, randomUUID(), ''])).toString('base64url')
}

test.each([
  'limit=0',
  'limit=201',
  'limit=x',
  'from=yesterday',
  'from=2026-02-30T00:00:00Z',
  'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
  'agent_id=%00',
  'agent_id=',
  'agent_id=a&agent_id=b',
  'agent_id[x]=b',
  'session_id=a%00b',
  'cursor=x',
  `cursor=${cursorTo('2026-02-30T00:00:00.000000Z')}`,
  'offset=3'
])('refuses %s', async (query) => {
  const { status, body } = await scene.get(`/v1/decisions?${query}`)
  expect([status, body['code']]).toEqual([422, 'invalid_query'])
  expect(body['errors']).toEqual([{ pointer: expect.any(String), detail: expect.any(String) }])
})

test('treats query parameters as data, never as SQL', async () => {
  const text = encodeURIComponent(`'; drop table decisions; --`)
  expect(await idsOf(`agent_id=${text}&session_id=${text}&domain=${text}`)).toEqual([])
  expect((await idsOf(`${span}&agent_id=walker`)).length).toBeGreaterThan(0)
})
