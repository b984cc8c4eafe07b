/** Tests GET /v1/decisions/tail over HTTP with a real database: events, resumption, access and
 * shutdown.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { formatCursor } from '../../../core/cursor.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import { aDecision } from '../../support/builders.ts'
import { openEventStream } from '../../support/event-stream.ts'
import type { EventStream } from '../../support/event-stream.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { createScene, decisionsTopic, evaluationsTopic, storeDecision } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene

beforeAll(async () => {
  scene = await createScene()
  await settle(decisionsTopic)
  await settle(evaluationsTopic)
})

/** Records, as storage does, that all records in the topic now are stored or dead-lettered. */
async function settle(topic: string): Promise<void> {
  await scene.database.query(
    `insert into storage_progress (topic, partition, next_offset, as_of) values ($1, 0, 1, now())
     on conflict (topic, partition)
     do update set next_offset = storage_progress.next_offset + 1, as_of = now()`,
    [topic]
  )
}

async function store(overrides: Partial<Decision> = {}): Promise<string> {
  const decision = aDecision({
    organization_id: scene.organizationId,
    received_at: Date.now(),
    ...overrides
  })
  await storeDecision(scene.database, decision)
  await settle(decisionsTopic)
  return decision.decision_id
}

async function conclude(
  decisionId: string,
  outcome: { status: string; verdict: string; scores?: object }
): Promise<void> {
  const { status, verdict, scores = {} } = outcome
  await scene.database.query(
    `insert into evaluations (organization_id, decision_id, received_at, status, verdict,
                                    scores, counted)
     values ($1, $2, (select received_at from decision_ids where decision_id = $2), $3, $4, $5,
             '{}')
     on conflict (organization_id, decision_id, received_at)
     do update set status = $3, verdict = $4, scores = $5`,
    [scene.organizationId, decisionId, status, verdict, JSON.stringify(scores)]
  )
  await settle(evaluationsTopic)
}

function tail(query = '', headers: Record<string, string> = {}): Promise<EventStream> {
  return openEventStream(`${scene.url}/v1/decisions/tail${query}`, {
    authorization: `Bearer ${scene.token}`,
    ...headers
  })
}

function idsIn(events: readonly { readonly data: object }[]): unknown[] {
  return events.map(({ data }) => (data as { decision_id: string }).decision_id)
}

/**
 * Waits for the first `count` decisions of a resumed stream that are not in `seen`. Decisions in
 * `seen` can be sent again while the Postgres server has other open transactions, for example
 * those of another test file.
 */
function showsBesides(
  stream: EventStream,
  seen: readonly unknown[],
  count: number
): Promise<unknown[]> {
  return waitUntil(`${count} decisions`, () => {
    const ids = idsIn(stream.of('decision')).filter((id) => !seen.includes(id))
    return ids.length >= count && ids
  })
}

test('shows decisions as the list does, and changes to their evaluations', async () => {
  const before = await store()
  const stream = await tail()
  expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const ids = [await store({ agent_id: 'one' }), await store({ agent_id: 'two' })]
  const shown = await stream.atLeast(2, 'decision')
  expect(idsIn(shown)).toEqual(ids)
  expect(idsIn(shown)).not.toContain(before)
  const list = await scene.get<{ data: object[] }>('/v1/decisions?limit=2')
  const members = Object.keys(shown[0]?.data ?? {})
  const listed = list.body.data.toReversed() as Record<string, unknown>[]
  expect(shown.map(({ data }) => data)).toEqual(
    listed.map((row) => Object.fromEntries(members.map((name) => [name, row[name]])))
  )

  const scores = { tone: { value: 0.5, label: null, passed: true } }
  await conclude(ids[0] ?? '', { status: 'evaluating', verdict: 'none' })
  await conclude(ids[0] ?? '', { status: 'evaluated', verdict: 'pass', scores })
  const update = await waitUntil('it is evaluated', () =>
    stream.of('evaluation').find(({ data }) => data['status'] === 'evaluated')
  )
  expect(update.data).toEqual({
    ...{ decision_id: ids[0], status: 'evaluated', verdict: 'pass', scores }
  })
  stream.hangUp()
})

test('filters by agent, session, domain, sample and evaluation', async () => {
  const streams = {
    agent: await tail('?agent_id=mine'),
    domain: await tail('?domain=refunds&session_id=s'),
    none: await tail('?sample=0'),
    unattributed: await tail('?agent_id=_unattributed'),
    failing: await tail('?verdict=fail')
  }
  const passing = await store({ agent_id: 'mine', domain: null, session_id: null })
  const failing = await store({ agent_id: 'other', domain: 'refunds', session_id: 's' })
  const unattributed = await store({ agent_id: null })
  await streams.agent.atLeast(1, 'decision')
  expect(idsIn(await streams.unattributed.atLeast(1, 'decision'))).toEqual([unattributed])
  await streams.domain.atLeast(1, 'decision')
  await conclude(passing, { status: 'evaluated', verdict: 'pass' })
  await conclude(failing, { status: 'evaluated', verdict: 'fail' })
  const [found] = await streams.failing.atLeast(1, 'decision')
  expect(found?.data).toMatchObject({
    decision_id: failing,
    evaluation: { status: 'evaluated', verdict: 'fail' }
  })
  await streams.agent.atLeast(1, 'evaluation')
  expect(idsIn(streams.agent.of('decision'))).toEqual([passing])
  expect(idsIn(streams.domain.of('decision'))).toEqual([failing])
  expect(idsIn(streams.failing.of('decision'))).toEqual([failing])
  expect(streams.none.of('decision')).toEqual([])
  for (const stream of Object.values(streams)) stream.hangUp()
})

test('shows nothing of another organization', async () => {
  const foreign = await openEventStream(`${scene.url}/v1/decisions/tail`, {
    authorization: `Bearer ${scene.foreignToken}`
  })
  const own = await tail()
  await store()
  await own.atLeast(1, 'decision')
  await store()
  await own.atLeast(2, 'decision')
  expect(foreign.of('decision')).toEqual([])
  own.hangUp()
  foreign.hangUp()
})

test('replays missed decisions first', async () => {
  const first = await tail('?agent_id=missed')
  await store({ agent_id: 'missed' })
  const [last] = await first.atLeast(1, 'decision')
  first.hangUp()
  const missed = [await store({ agent_id: 'missed' }), await store({ agent_id: 'missed' })]
  await store({ agent_id: 'another' })
  const id = last?.id ?? ''
  const seen = idsIn(last === undefined ? [] : [last])
  for (const again of [
    await tail('?agent_id=missed', { 'last-event-id': id }),
    await tail(`?agent_id=missed&last_event_id=${id}`)
  ]) {
    const later = await store({ agent_id: 'missed' })
    expect(await showsBesides(again, seen, missed.length + 1)).toEqual([...missed, later])
    expect(again.of('gap')).toEqual([])
    missed.push(later)
    again.hangUp()
  }
})

test('replays a decision received before the last one shown but stored later', async () => {
  const first = await tail('?agent_id=late')
  const seen = await store({ agent_id: 'late' })
  await first.atLeast(1, 'decision')
  first.hangUp()
  const late = await store({ agent_id: 'late', received_at: Date.now() - 3000 })
  const again = await openEventStream(
    `${await scene.serveAnother()}/v1/decisions/tail?agent_id=late`,
    { authorization: `Bearer ${scene.token}`, 'last-event-id': first.lastId() ?? '' }
  )
  const later = await store({ agent_id: 'late' })
  expect(await showsBesides(again, [seen], 2)).toEqual([late, later])
  again.hangUp()
})

test('resumes a tail that has shown nothing yet', async () => {
  const first = await tail('?agent_id=early')
  const id = await waitUntil('the tail has begun', () => first.lastId())
  first.hangUp()
  const missed = await store({ agent_id: 'early' })
  const again = await tail('?agent_id=early', { 'last-event-id': id })
  expect(idsIn(await again.atLeast(1, 'decision'))).toEqual([missed])
  expect([again.of('gap'), again.lastId() === id]).toEqual([[], false])
  again.hangUp()
})

test('updates evaluations of replayed decisions on another gateway', async () => {
  const first = await tail('?agent_id=moved')
  const seen = await store({ agent_id: 'moved' })
  const [last] = await first.atLeast(1, 'decision')
  first.hangUp()
  const missed = await store({ agent_id: 'moved' })
  const again = await openEventStream(
    `${await scene.serveAnother()}/v1/decisions/tail?agent_id=moved`,
    { authorization: `Bearer ${scene.token}`, 'last-event-id': last?.id ?? '' }
  )
  expect(await showsBesides(again, [seen], 1)).toEqual([missed])
  await conclude(missed, { status: 'evaluated', verdict: 'pass' })
  const [update] = await again.atLeast(1, 'evaluation')
  expect(update?.data).toMatchObject({ decision_id: missed, status: 'evaluated', verdict: 'pass' })
  again.hangUp()
})

test('starts with a gap of unknown size for an unknown or old id', async () => {
  const longAgo = formatCursor({ sort_key: '2020-01-01T00:00:00.000000Z', id: randomUUID() }, {})
  const now = new Date().toISOString().replace('Z', '000Z')
  const forged = `${formatCursor({ sort_key: now, id: randomUUID() }, {})}.0.1.1`
  for (const id of ['malformed', longAgo, forged]) {
    const stream = await tail('', { 'last-event-id': id })
    const [gap] = await stream.atLeast(1, 'gap')
    expect(gap?.data).toEqual({ dropped: null })
    stream.hangUp()
  }
})

test('shows the newest 500 of many decisions after a gap', async () => {
  const stream = await tail('?agent_id=burst')
  await scene.database.query(
    `insert into decisions (organization_id, decision_id, received_at, input, output, agent_id)
     select $1, gen_random_uuid(), now() - n * interval '1 millisecond', '1', '"x"', 'burst'
       from generate_series(1, 700) n`,
    [scene.organizationId]
  )
  await settle(decisionsTopic)
  const shown = await stream.atLeast(500, 'decision')
  expect(stream.of('gap').map(({ data }) => data)).toEqual([{ dropped: 200 }])
  expect(shown).toHaveLength(500)
  const times = shown.map(({ data }) => String(data['received_at']))
  expect(times).toEqual(times.toSorted())

  const again = await tail('?agent_id=burst', { 'last-event-id': oldestId() })
  await again.atLeast(500, 'decision')
  expect(again.events[0]).toMatchObject({ event: 'gap', data: { dropped: 200 } })
  stream.hangUp()
  again.hangUp()
})

/** Returns an event id that is a minute old. */
function oldestId(): string {
  const sort_key = new Date(Date.now() - 60_000).toISOString().replace('Z', '000Z')
  return formatCursor({ sort_key, id: randomUUID() }, {})
}

test('polls as often for fifty tails as for one', async () => {
  const looks = () =>
    scene.statementTexts.filter((text) => text.includes('storage_progress')).length
  const one = await tail()
  const fifty = await Promise.all(Array.from({ length: 50 }, () => tail()))
  const [before, asked] = [looks(), scene.statementTexts.length]
  const ids = [await store(), await store()]
  for (const stream of [one, ...fifty]) {
    expect(idsIn(await stream.atLeast(2, 'decision'))).toEqual(ids)
  }
  // A poll sends at most eight statements, and reads `storage_progress` once.
  expect(scene.statementTexts.length - asked).toBeLessThanOrEqual(8 * (looks() - before))
  for (const stream of [one, ...fifty]) stream.hangUp()
  const quiet = await waitUntil('polling has stopped', async () => {
    const count = scene.statementTexts.length
    await new Promise((resolve) => setImmediate(resolve))
    return count === scene.statementTexts.length ? count : false
  })
  expect(quiet).toBeGreaterThan(0)
})

test.each(['?sample=2', '?verdict=maybe', '?agent_id=%00', '?ticket=x', '?offset=3'])(
  'refuses %s',
  async (query) => {
    const { status, body } = await scene.get(`/v1/decisions/tail${query}`)
    expect([status, body['code']]).toEqual([422, 'invalid_query'])
  }
)

test('accepts a ticket once instead of a session, with its filters', async () => {
  const { status, body } = await scene.post<{ ticket: string; expires_in: number }>(
    '/v1/decisions/tail-tickets',
    { agent_id: 'ticketed' },
    scene.token
  )
  expect([status, body]).toEqual([201, { ticket: expect.any(String), expires_in: 30 }])
  const address = `${scene.url}/v1/decisions/tail?ticket=${body.ticket}`
  const stream = await openEventStream(address, {})
  await store({ agent_id: 'other' })
  const id = await store({ agent_id: 'ticketed' })
  expect(idsIn(await stream.atLeast(1, 'decision'))).toEqual([id])
  stream.hangUp()
  const again = await fetch(address)
  expect([again.status, ((await again.json()) as { code: string }).code]).toEqual([
    ...[401, 'ticket_invalid']
  ])
  const unknown = `slt_${'x'.repeat(43)}`
  expect((await fetch(`${scene.url}/v1/decisions/tail?ticket=${unknown}`)).status).toBe(401)
})

test('limits a ticket to the organization that created it', async () => {
  const { body } = await scene.post<{ ticket: string }>(
    '/v1/decisions/tail-tickets',
    {},
    scene.foreignToken
  )
  const stream = await openEventStream(`${scene.url}/v1/decisions/tail?ticket=${body.ticket}`, {})
  const own = await tail()
  await store()
  await own.atLeast(1, 'decision')
  expect(stream.of('decision')).toEqual([])
  stream.hangUp()
  own.hangUp()
})

test('rejects a ticket after its session has ended', async () => {
  const token = scene.tokenAs('member')
  const { body } = await scene.post<{ ticket: string }>('/v1/decisions/tail-tickets', {}, token)
  expect((await scene.post('/v1/auth/logout', {}, token)).status).toBe(200)
  const answer = await scene.get(`/v1/decisions/tail?ticket=${body.ticket}`, '')
  expect([answer.status, answer.body['code']]).toEqual([401, 'ticket_invalid'])
})

test.each([{ sample: '1' }, { agent_id: 'a\u0000' }, { agent: 'x' }, []])(
  'rejects the ticket %j',
  async (body) => {
    const answer = await scene.post('/v1/decisions/tail-tickets', body, scene.token)
    expect([answer.status, answer.body['code']]).toEqual([422, 'invalid_body'])
  }
)

test('leaves streams to another organization when one opens all it may', async () => {
  const few = await createScene(undefined, { STREAMS_MAX: '8' })
  const open = (token = few.token) => {
    return openEventStream(`${few.url}/v1/decisions/tail`, { authorization: `Bearer ${token}` })
  }
  const [first] = [await open(), await open()]
  const refused = await few.get('/v1/decisions/tail')
  expect([refused.status, refused.body['code']]).toEqual([503, 'overloaded'])
  expect(refused.headers.get('retry-after')).toBe('1')
  expect((await open(few.foreignToken)).status).toBe(200)
  first.hangUp()
  const again = await waitUntil('a stream is free', async () => {
    const stream = await open()
    return stream.status === 200 ? stream : null
  })
  again.hangUp()
})

test('sends bye and ends on shutdown', async () => {
  const stopped = await createScene()
  const stream = await openEventStream(`${stopped.url}/v1/decisions/tail`, {
    authorization: `Bearer ${stopped.token}`
  })
  stopped.stopping.abort()
  const [bye] = await stream.atLeast(1, 'bye')
  expect(bye?.data).toEqual({ reason: 'stopping' })
  await waitUntil('the tail has ended', () => stream.state() === 'ended')
})
