/** Tests GET /v1/decisions/{decision_id} over HTTP with a real database: exact texts, access and
 * waiting.
 */
import { hash, randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { freePort } from '../../../stack/ports.ts'
import { aDecision, aRun, aScore } from '../../support/builders.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { createScene, reportProgress, storeDecision, storeRun } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene

beforeAll(async () => {
  scene = await createScene()
})

function ownDecision(overrides: Parameters<typeof aDecision>[0] = {}) {
  return aDecision({ organization_id: scene.organizationId, output: '"fine"', ...overrides })
}

const day = Date.UTC(2026, 0, 31)

test('returns a stored decision without an evaluation', async () => {
  const decision = ownDecision({ metadata: null, domain: null, received_at: day })
  await storeDecision(scene.database, decision)
  const path = `/v1/decisions/${decision.decision_id.toUpperCase()}`
  const { status, headers, body } = await scene.get(path)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toEqual({
    decision_id: decision.decision_id,
    received_at: '2026-01-31T00:00:00.000Z',
    stored_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    input: { question: 'May I return these shoes?', days: 12 },
    output: 'fine',
    agent_id: 'refund-agent',
    session_id: 'ticket-4711',
    domain: null,
    metadata: null,
    input_tokens: 420,
    output_tokens: 96,
    sdk_version: null,
    input_bytes: 50,
    output_bytes: 6,
    metadata_bytes: null,
    fingerprint: hash('sha256', decision.decision_id),
    evaluation: { status: 'pending', verdict: 'none', scores: {} }
  })
})

const nested = `${'['.repeat(63)}${']'.repeat(63)}`
const exotic = [
  '{"n":12345678901234567890,"z":"\\u0000","__proto__":{"a":1}}',
  '{"b":1,"a":2,"1":3,"0":4}',
  '[1e400,-0,-0.0,1.0,1E+2,0.1000000000000000055511151231257827]',
  '{\n  "white" :\t[ 1 , 2 ]\r\n}',
  '"\\ud83d\\udd11 🔑 \\u2028\u2028 é é \u202e"',
  'null',
  'false',
  '0',
  '""',
  nested,
  `{"long":"${'漢'.repeat(200_000)}"}`
]

test.each(exotic)('returns the exact text that was stored %#', async (text) => {
  const metadata = `{"value" :${text}}`
  const output = '"\\u0000\\\\ \\"🔑\\ud83d\\udd11"'
  const decision = ownDecision({ input: text, output, metadata })
  await storeDecision(scene.database, decision)
  const answer = await scene.get(`/v1/decisions/${decision.decision_id}`)
  expect(answer.text).toContain(`"input":${text},"output":${decision.output},"agent_id"`)
  expect(answer.text).toContain(`"metadata":${metadata},"input_tokens"`)
})

test('keeps all digits of token counts beyond 2^31', async () => {
  const decision = ownDecision({ input_tokens: Number.MAX_SAFE_INTEGER, output_tokens: 0 })
  await storeDecision(scene.database, decision)
  const { text } = await scene.get(`/v1/decisions/${decision.decision_id}`)
  expect(text).toContain('"input_tokens":9007199254740991,"output_tokens":0,')
})

test('does not reveal to another organization that the id exists', async () => {
  const decision = ownDecision()
  await storeDecision(scene.database, decision)
  await storeRun(scene.database, decision, aRun())
  await reportProgress(scene.database, new Date(Date.now() + 60_000))
  const { decision_id } = decision
  const foreign = await scene.get(`/v1/decisions/${decision_id}`, scene.foreignToken)
  const unknown = await scene.get(`/v1/decisions/${randomUUID()}`)
  for (const { status, body, headers } of [foreign, unknown]) {
    expect([status, body['code'], body['retryable']]).toEqual([404, 'decision_not_found', false])
    expect(headers.get('retry-after')).toBeNull()
  }
  expect(Object.keys(foreign.body)).toEqual(Object.keys(unknown.body))
})

test('stores the same id in two organizations as two decisions', async () => {
  const decision = ownDecision({ output: '"ours"' })
  await storeDecision(scene.database, { ...decision, organization_id: randomUUID() })
  await storeDecision(scene.database, decision)
  const { body } = await scene.get(`/v1/decisions/${decision.decision_id}`)
  expect(body['output']).toBe('ours')
})

test('reports an unknown lag before storage has committed every partition', async () => {
  await scene.database.query('delete from storage_progress')
  const none = await scene.get(`/v1/decisions/${randomUUID()}`)
  await scene.database.query(
    `insert into storage_progress values ('agent-decisions', 0, 0, 'epoch'),
                                         ('agent-decisions', 1, 0, now())`
  )
  const some = await scene.get(`/v1/decisions/${randomUUID()}`)
  for (const { body } of [none, some]) {
    expect(body).toMatchObject({ as_of: null, lag_ms: null, retryable: true })
  }
  await scene.database.query('delete from storage_progress')
})

test('reports that a retry may help while storage lags', async () => {
  const asOf = new Date(Date.now() - 5000)
  await reportProgress(scene.database, asOf)
  const { status, headers, body } = await scene.get(`/v1/decisions/${randomUUID()}`)
  expect(status).toBe(404)
  expect(headers.get('retry-after')).toBe('1')
  expect(body).toMatchObject({ retryable: true, as_of: asOf.toISOString() })
  expect(body['lag_ms']).toBeGreaterThanOrEqual(5000)
})

test.each(['x', '0', 'null', `{${randomUUID()}}`, '%00', "'%20or%20true--", 'a'.repeat(500)])(
  'returns 404 for an id that is not a UUID: %s',
  async (id) => {
    const { status, body } = await scene.get(`/v1/decisions/${id}`)
    expect([status, body['code']]).toEqual([404, 'decision_not_found'])
  }
)

test.each(['wait=31', 'wait=-1', 'wait=1.5', 'wait=x', 'until=never', 'wait=1&wait=2', 'what=1'])(
  'rejects the query %s',
  async (query) => {
    const { status, body } = await scene.get(`/v1/decisions/${randomUUID()}?${query}`)
    expect([status, body['code']]).toEqual([422, 'invalid_query'])
  }
)

test('rejects API keys and invalid tokens', async () => {
  const path = `/v1/decisions/${randomUUID()}`
  const key = await scene.get(path, scene.apiKey)
  expect([key.status, key.body['code']]).toEqual([401, 'session_required'])
  expect(key.headers.get('www-authenticate')).toBe('Bearer realm="sluice"')
  const garbage = await scene.get(path, 'eyJhbGciOiJub25lIn0.e30.')
  expect([garbage.status, garbage.body['code']]).toEqual([401, 'session_invalid'])
  expect(garbage.headers.get('www-authenticate')).toContain('invalid_token')
})

/** Resolves when `times` further reads of this table have been sent. */
async function untilAsked(table: string, times: number): Promise<void> {
  const before = scene.statementTexts.length
  const readsOf = (statements: string[]): number =>
    statements.filter((statement) => statement.includes(`from ${table}`)).length
  const isAsked = (): boolean => readsOf(scene.statementTexts.slice(before)) >= times
  await waitUntil(`${times} reads of ${table}`, isAsked)
}

test('waits until it is stored, and then until it is evaluated', async () => {
  const decision = ownDecision()
  const path = `/v1/decisions/${decision.decision_id}`
  const stored = scene.get(`${path}?wait=30`)
  await untilAsked('decisions', 1)
  await storeDecision(scene.database, decision)
  expect((await stored).status).toBe(200)

  const before = scene.statementTexts.length
  const evaluated = scene.get(`${path}?wait=30&until=evaluated`)
  // The second read is sent only after the first one found no run.
  await untilAsked('later_runs', 2)
  const score = aScore({ name: 'not_empty', passed: true })
  await storeRun(scene.database, decision, aRun({ scores: [score] }))
  expect((await evaluated).body['evaluation']).toMatchObject({
    status: 'evaluated',
    verdict: 'pass',
    scores: { not_empty: { score_id: score.score_id, value: 1, passed: true } }
  })
  // The decision never changes and is read once; runs are read until it is evaluated.
  const asked = scene.statementTexts.slice(before)
  const countOf = (table: string): number =>
    asked.filter((statement) => statement.includes(`from ${table}`)).length
  expect([countOf('decisions'), countOf('later_runs') > 1]).toEqual([1, true])
})

test('returns the current state when the wait ends', async () => {
  const decision = ownDecision()
  await storeDecision(scene.database, decision)
  const path = `/v1/decisions/${decision.decision_id}`
  const { status, body } = await scene.get(`${path}?wait=1&until=first_score`)
  expect(status).toBe(200)
  expect(body['evaluation']).toMatchObject({ status: 'pending' })
})

test('rejects waiting calls beyond the share of an organization, and serves others', async () => {
  const path = `${scene.url}/v1/decisions/${randomUUID()}?wait=30`
  const hangUp = new AbortController()
  const init = { headers: { authorization: `Bearer ${scene.token}` }, signal: hangUp.signal }
  const ask = () =>
    fetch(path, init).then(
      ({ status }) => status,
      () => 'disconnected'
    )
  const outcomes = Array.from({ length: 4 }, ask)
  expect(await Promise.race(outcomes)).toBe(503)
  const foreign = await scene.get(`/v1/decisions/${randomUUID()}?wait=1`, scene.foreignToken)
  expect(foreign.status).toBe(404)
  hangUp.abort()
  expect((await Promise.all(outcomes)).sort()).toEqual([
    503,
    'disconnected',
    'disconnected',
    'disconnected'
  ])
  await waitUntil('a slot is free', async () => {
    return (await scene.get(`/v1/decisions/${randomUUID()}?wait=1`)).status === 404
  })
})

test('ends waits at once on shutdown', async () => {
  const other = await createScene()
  const waiting = other.get(`/v1/decisions/${randomUUID()}?wait=30`)
  await waitUntil('the wait has begun', async () => {
    const [row] = await other.database.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
        where datname = current_database() and application_name = 'sluice-test'`
    )
    return (row?.n ?? 0) > 0
  })
  other.stopping.abort()
  expect((await waiting).body).toMatchObject({ code: 'decision_not_found', retryable: true })
})

test('returns 503 with Retry-After if the database is unavailable', async () => {
  const away = await createScene(`postgres://sluice@127.0.0.1:${await freePort()}/sluice`)
  const paths = ['/v1/decisions', `/v1/decisions/${randomUUID()}`, `/v1/evaluation/${randomUUID()}`]
  for (const path of paths) {
    const { status, headers, body } = await away.get(path)
    expect([status, body['code']]).toEqual([503, 'store_unavailable'])
    expect(headers.get('retry-after')).toBe('2')
  }
  const login = await away.post('/v1/auth/login', { email: 'a@example.com', password: 'x' })
  expect([login.status, login.body['code']]).toEqual([503, 'store_unavailable'])
})
