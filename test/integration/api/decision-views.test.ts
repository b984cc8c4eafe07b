/** Tests reads of a decision, its context, sessions, facets and feedback with a real database. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { aDecision, aRun, aScore } from '../../support/builders.ts'
import { createScene, storeDecision, storeRun } from './scene.ts'
import type { Scene } from './scene.ts'
import { aStoredDecision, storeAll } from './stored-decisions.ts'
import type { StoredDecision } from './stored-decisions.ts'

interface Page<T> {
  readonly data: T[]
  readonly meta: { readonly next_cursor: string | null }
}
interface Listed {
  readonly decision_id: string
}
interface Session {
  readonly session_id: string
}

let scene: Scene
const span = 'from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z'

beforeAll(async () => {
  scene = await createScene()
})

function idsOf(decisions: readonly Listed[]): string[] {
  return decisions.map(({ decision_id }) => decision_id)
}

async function store(decisions: readonly StoredDecision[]): Promise<readonly string[]> {
  await storeAll(scene.database, scene.organizationId, decisions)
  return idsOf(decisions)
}

function at(minute: number): string {
  return new Date(Date.UTC(2026, 0, 10) + minute * 60_000).toISOString()
}

describe('GET /v1/decisions/{decision_id}', () => {
  test('returns an ETag that changes with the evaluation, and 304 until then', async () => {
    const decision = aDecision({ organization_id: scene.organizationId, output: '"fine"' })
    await storeDecision(scene.database, decision)
    const url = `${scene.url}/v1/decisions/${decision.decision_id}`
    const authorization = `Bearer ${scene.token}`
    const read = async (tag = '') => {
      const headers = { authorization, ...(tag !== '' && { 'if-none-match': tag }) }
      const answer = await fetch(url, { headers })
      return {
        status: answer.status,
        etag: answer.headers.get('etag') ?? '',
        text: await answer.text()
      }
    }
    const first = await read()
    expect(first).toMatchObject({ status: 200, etag: expect.stringMatching(/^"[\w-]{27}"$/) })
    for (const tag of [first.etag, `W/${first.etag}`, `"other", ${first.etag}`, '*']) {
      expect(await read(tag)).toEqual({ status: 304, etag: first.etag, text: '' })
    }
    expect((await read('"other"')).status).toBe(200)
    await storeRun(scene.database, decision, aRun({ scores: [aScore({ passed: false })] }))
    const second = await read(first.etag)
    expect([second.status, second.etag === first.etag]).toEqual([200, false])
  })

  test('includes runs on request', async () => {
    const decision = aDecision({ organization_id: scene.organizationId, output: '"fine"' })
    await storeDecision(scene.database, decision)
    const run = aRun({ scores: [aScore({ name: 'tone' })] })
    await storeRun(scene.database, decision, run)
    const path = `/v1/decisions/${decision.decision_id}`
    const { body } = await scene.get<{ evaluation: object }>(`${path}?include=runs`)
    expect(body.evaluation).toMatchObject({ runs: [{ run_id: run.run_id, scores: ['tone'] }] })
    expect((await scene.get<{ evaluation: object }>(path)).body.evaluation).not.toHaveProperty(
      'runs'
    )
    expect((await scene.get(`${path}?include=all`)).status).toBe(422)
  })

  test('lists the decisions before and after it in its session, oldest first', async () => {
    const session_id = 'neighbours'
    const decisions = [0, 1, 1, 1, 2, 3].map((minute) =>
      aStoredDecision({ session_id, received_at: at(minute) })
    )
    await store([...decisions, aStoredDecision({ session_id: 'other', received_at: at(1) })])
    const ordered = decisions.toSorted((left, right) =>
      `${left.received_at}${left.decision_id}` < `${right.received_at}${right.decision_id}` ? -1 : 1
    )
    const ids = idsOf(ordered)
    for (const [index, id] of ids.entries()) {
      const { body } = await scene.get<{ before: Listed[]; after: Listed[] }>(
        `/v1/decisions/${id}/context?before=2&after=1`
      )
      expect([idsOf(body.before), idsOf(body.after)]).toEqual([
        ids.slice(Math.max(0, index - 2), index),
        ids.slice(index + 1, index + 2)
      ])
    }
    const [alone] = await store([aStoredDecision()])
    const { body } = await scene.get(`/v1/decisions/${String(alone)}/context`)
    expect(body).toEqual({
      decision_id: alone,
      session_id: null,
      before: [],
      after: [],
      trace: null
    })
    const foreign = `/v1/decisions/${String(ids[0])}/context`
    expect((await scene.get(foreign, scene.foreignToken)).body['code']).toBe('decision_not_found')
  })
})

describe('sessions', () => {
  /**
   * The newest decision of session n is at minute 100 + n. The older decisions of different
   * sessions interleave.
   */
  const names = ['a/b?c', '100% %2F', 'ü🔑', `'"\\`, '_', 'plain', ' ']
  let decisions: StoredDecision[]

  beforeAll(async () => {
    decisions = names.flatMap((session_id, index) => [
      ...[0, 1, 2].map((step) =>
        aStoredDecision({
          session_id,
          agent_id: step === 0 ? null : `agent-${(index + step) % 3}`,
          received_at: at(step === 2 ? 100 + index : 10 * step + index),
          input_tokens: 10,
          output_tokens: step,
          outcome: step === 1 ? null : { status: 'evaluated', verdict: 'fail', scores: {} }
        })
      )
    ])
    await store(decisions)
  })

  async function walk(query: string): Promise<Session[]> {
    const seen: Session[] = []
    for (let cursor = ''; ;) {
      const { body } = await scene.get<Page<Session>>(`/v1/decisions/sessions?${query}${cursor}`)
      seen.push(...body.data)
      if (body.meta.next_cursor === null) return seen
      cursor = `&cursor=${body.meta.next_cursor}`
    }
  }

  test.each([1, 2, 3, 50])('lists each session once, in pages of %d', async (limit) => {
    const seen = await walk(`from=${at(0)}&to=${at(200)}&limit=${limit}`)
    const listed = seen.map(({ session_id }) => session_id)
    expect(listed.filter((name) => name !== 'neighbours' && name !== 'other')).toEqual(
      names.toReversed()
    )
    expect(seen[0]).toEqual({
      session_id: ' ',
      decisions: 3,
      has_more_decisions: false,
      first_received_at: at(6),
      last_received_at: at(106),
      agent_ids: ['agent-1', 'agent-2'],
      input_tokens: 30,
      output_tokens: 3,
      verdicts: { pass: 0, fail: 2, mixed: 0, none: 1 }
    })
  })

  test('lists the sessions of one agent', async () => {
    const seen = await walk(`from=${at(0)}&to=${at(200)}&limit=2&agent_id=agent-0`)
    const expected = names.filter((name) =>
      decisions.some(({ session_id, agent_id }) => session_id === name && agent_id === 'agent-0')
    )
    expect(seen.map(({ session_id }) => session_id).toSorted()).toEqual(expected.toSorted())
  })

  test('lists sessions of decisions without an agent, each once', async () => {
    const seen = await walk(`from=${at(0)}&to=${at(200)}&limit=2&agent_id=_unattributed`)
    expect(seen.map(({ session_id }) => session_id)).toEqual(names.toReversed())
  })

  test('lists the decisions of a session, oldest first', async () => {
    for (const name of names) {
      const path = `/v1/decisions/sessions/${encodeURIComponent(name)}?${span}&limit=2`
      const first = await scene.get<Page<Listed>>(path)
      const second = await scene.get<Page<Listed>>(
        `${path}&cursor=${String(first.body.meta.next_cursor)}`
      )
      const expected = decisions.filter(({ session_id }) => session_id === name)
      expect([...idsOf(first.body.data), ...idsOf(second.body.data)]).toEqual(idsOf(expected))
    }
    const unknown = await scene.get<Page<Listed>>('/v1/decisions/sessions/unknown')
    expect([unknown.status, unknown.body.data]).toEqual([200, []])
    expect((await scene.get('/v1/decisions/sessions/a%00b')).status).toBe(404)
    const path = `/v1/decisions/sessions/plain?${span}`
    expect((await scene.get<Page<Listed>>(path, scene.foreignToken)).body.data).toEqual([])
  })

  test('reports more than a thousand decisions of a session', async () => {
    const many = Array.from({ length: 1100 }, (_, index) =>
      aStoredDecision({ session_id: 'many', received_at: at(2000 + index * 20), input_tokens: 1 })
    )
    await store(many)
    const [session] = await walk(`from=${at(1999)}&to=${at(90_000)}&limit=1`)
    expect(session).toMatchObject({ decisions: 1000, has_more_decisions: true })
  })
})

test('lists facets from hourly sums, most frequent first', async () => {
  const hours = (table: string, values: string) =>
    scene.database.query(`insert into ${table} (organization_id, hour, agent_id, ${values})`, [
      scene.organizationId
    ])
  const zero = `0, 0, 0, 0, 0, 0, 0, 0`
  const sums = `input_tokens, output_tokens, input_tokens_known, output_tokens_known, errors,
                errors_known, latency_ms, latency_known`
  await hours(
    'decision_hours',
    `domain, decisions, ${sums})
     select $1, '2025-06-01T10:00:00Z', agent, domain, n, ${zero}
       from (values ('a', 'refunds', 7), ('', '', 2), ('b', '', 1)) as v (agent, domain, n`
  )
  await hours(
    'decision_facet_hours',
    `facet, value, decisions, ${sums})
     select $1, '2025-06-01T10:00:00Z', 'a', 'model', value, n, ${zero}
       from (values ('small', 5), ('large', 1)) as v (value, n`
  )
  await hours(
    'outcome_hours',
    `domain, status, verdict, decisions)
     select $1, '2025-06-01T10:00:00Z', 'a', '', status, verdict, n
       from (values ('evaluated', 'pass', 4), ('failed', 'none', 1)) as v (status, verdict, n`
  )
  const facetsOf = async (query: string) => {
    const path = `/v1/decisions/facets?from=2025-06-01T10:30:00Z&to=2025-06-01T11:00:00Z&${query}`
    const { body } = await scene.get<Page<{ value: string | null; decisions: number }>>(path)
    return body.data.map(({ value, decisions }) => [value, decisions])
  }
  expect(await facetsOf('field=agent_id')).toEqual([
    ['a', 7],
    ['_unattributed', 2],
    ['b', 1]
  ])
  expect(await facetsOf('field=domain')).toEqual([
    ['refunds', 7],
    [null, 3]
  ])
  expect(await facetsOf('field=model&limit=1')).toEqual([['small', 5]])
  expect(await facetsOf('field=sdk_version')).toEqual([])
  expect(await facetsOf('field=status&agent_id=a')).toEqual([
    ['evaluated', 4],
    [null, 2],
    ['failed', 1]
  ])
  expect(await facetsOf('field=verdict')).toEqual([
    ['none', 6],
    ['pass', 4]
  ])
  expect((await scene.get('/v1/decisions/facets?field=input')).status).toBe(422)
})

describe('feedback', () => {
  async function give(body: object, decisionId?: string, role = 'member') {
    const [id = ''] = decisionId === undefined ? await store([aStoredDecision()]) : [decisionId]
    const path = `/v1/decisions/${id}/feedback`
    const answer = await scene.send({ method: 'POST', path, body, role })
    const read = await scene.get<{ evaluation: { scores: Record<string, object> } }>(
      `/v1/decisions/${id}`
    )
    return { answer, scores: read.body.evaluation?.scores }
  }

  test('stores a score of an end user, or of the logged-in user', async () => {
    const ofUser = await give({ passed: false, reason: 'late', user_id: 'u-1' })
    expect([ofUser.answer.status, ofUser.answer.body]).toMatchObject([
      201,
      { name: 'user_feedback', duplicate: false }
    ])
    expect(ofUser.scores['user_feedback']).toMatchObject({
      ...{ source_kind: 'end_user', source_id: 'u-1', passed: false, reason: 'late' }
    })
    const own = await give({ name: 'stars', value: 4 })
    expect(own.scores['stars']).toMatchObject({ source_kind: 'human', value: 4 })
  })

  test('stores feedback with one id once', async () => {
    const [decision] = await store([aStoredDecision()])
    const body = { id: randomUUID(), label: 'helpful' }
    expect((await give(body, decision)).answer.body['duplicate']).toBe(false)
    expect((await give(body, decision)).answer.body['duplicate']).toBe(true)
  })

  test.each([
    [{}, 422],
    [{ value: 'high' }, 422],
    [{ value: 1e300 }, 422],
    [{ label: '\u0000' }, 422],
    [{ passed: true, name: '' }, 422],
    [{ passed: true, source: 'api' }, 422]
  ])('rejects %j', async (body, status) => {
    expect((await give(body)).answer.status).toBe(status)
  })

  test('rejects viewers, and unknown decisions', async () => {
    expect((await give({ passed: true }, undefined, 'viewer')).answer.status).toBe(403)
    expect((await give({ passed: true }, randomUUID())).answer.status).toBe(404)
  })
})

test('includes whole texts and scores in lists on request', async () => {
  const input = '{"n":12345678901234567890,"z":"\\u0000"}'
  const decision = aStoredDecision({
    ...{ agent_id: 'whole', input, output: String.raw`"\u0000"`, metadata: '{"b":1,"a":1.0}' }
  })
  await store([decision])
  const path = `/v1/decisions?${span}&agent_id=whole&limit=50`
  const { text } = await scene.get(`${path}&include=input&include=metadata&include=scores`)
  expect(text).toContain(`"input":${input},"metadata":${String(decision.metadata)},"scores":{}}]`)
  expect((await scene.get(path)).text).not.toContain('"metadata"')
  expect((await scene.get(`${path}1&include=output`)).status).toBe(422)
})

test('ends a page before its texts are too large, and continues on the next', async () => {
  const input = JSON.stringify('x'.repeat(3_000_000))
  const decisions = [0, 1, 2, 3, 4].map((minute) =>
    aStoredDecision({ agent_id: 'heavy', input, received_at: at(minute), input_tokens: minute })
  )
  const ids = await store(decisions)
  for (const sort of ['received_at', 'input_tokens']) {
    const sizes: number[] = []
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const heavy = `${span}&agent_id=heavy&include=input`
      const path: string = `/v1/decisions?${heavy}&sort=${sort}${cursor}`
      const { body } = await scene.get<Page<Listed>>(path)
      sizes.push(body.data.length)
      seen.push(...idsOf(body.data))
      cursor = body.meta.next_cursor === null ? null : `&cursor=${body.meta.next_cursor}`
    }
    expect([sizes, seen]).toEqual([[2, 2, 1], ids])
  }
})

test('counts', async () => {
  await store([0, 1, 2].map(() => aStoredDecision({ agent_id: 'counted' })))
  const path = `/v1/decisions?${span}&agent_id=counted&limit=1`
  const countOf = async (query: string) =>
    (await scene.get<{ meta: { count?: object } }>(`${path}${query}`)).body.meta.count
  expect(await countOf('&count=exact')).toEqual({ value: 3, relation: 'exact' })
  expect(await countOf('&count=exact&q=nothing')).toEqual({ value: 0, relation: 'exact' })
  expect(await countOf('&count=estimate')).toEqual({ value: 0, relation: 'about' })
  expect(await countOf('')).toBeUndefined()
})
