/** Tests deletions over HTTP with a real database: the dry run, the confirmation, the recorded
 * erasure and the audit entry.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { erasuresLockKey } from '../../../core/decision/erasure.ts'
import { onEnd } from '../../support/cleanup.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { createScene } from './scene.ts'
import type { Scene } from './scene.ts'
import { aStoredDecision, storeAll } from './stored-decisions.ts'
import type { StoredDecision } from './stored-decisions.ts'

interface Page {
  readonly data: { readonly subject: string }[]
  readonly meta: { readonly next_cursor: string | null }
}

let scene: Scene
const path = '/v1/decisions/deletions'

beforeAll(async () => {
  scene = await createScene()
})

async function store(...overrides: Partial<StoredDecision>[]): Promise<StoredDecision[]> {
  const decisions = overrides.map(aStoredDecision)
  await storeAll(scene.database, scene.organizationId, decisions)
  return decisions
}

function ask(body: object, role = 'admin') {
  return scene.send({ method: 'POST', path, body, role })
}

test('counts a session, confirms, and records an erasure for storage', async () => {
  const session_id = `o'brien %_"\\`
  await store({ session_id }, { session_id, received_at: '2020-01-01T00:00:00Z' }, {})
  const target = { scope: 'session', subject: session_id }
  const dry = await ask({ ...target, dry_run: true })
  expect([dry.status, dry.body]).toEqual([
    200,
    { ...target, decisions_found: 2, counted_up_to: 100_000 }
  ])
  const wrong = await ask({ ...target, reason: 'r', confirm: 3 })
  expect([wrong.status, wrong.body]).toMatchObject([
    409,
    { code: 'count_differs', decisions_found: 2 }
  ])
  const { status, body } = await ask({ ...target, reason: 'asked for', confirm: 2 })
  const running = { ...target, state: 'running', decisions: 0, reason: 'asked for' }
  expect([status, body]).toMatchObject([202, { ...running, decisions_found: 2 }])

  const rules = await scene.database.query(
    `select scope, subject, organization_id from erasures where erasure_id = $1`,
    [body['deletion_id']]
  )
  expect(rules).toEqual([{ ...target, organization_id: scene.organizationId }])
  const entries = await scene.database.query(
    `select actor_kind, target_kind, target_id, details from audit_log where action = $1
        and organization_id = $2`,
    ['deletion.requested', scene.organizationId]
  )
  expect(entries).toMatchObject([
    { actor_kind: 'user', target_kind: 'session', target_id: session_id }
  ])
  expect(JSON.stringify(entries)).toContain(String(body['deletion_id']))
  const again = await ask({ ...target, reason: 'asked for', confirm: 2 })
  // A second request returns the deletion in progress.
  expect([again.status, again.body['deletion_id']]).toEqual([202, body['deletion_id']])

  const one = await scene.get(`${path}/${String(body['deletion_id'])}`)
  expect([one.status, one.body]).toMatchObject([200, running])
  const foreign = await scene.get(`${path}/${String(body['deletion_id'])}`, scene.foreignToken)
  expect([foreign.status, foreign.body['code']]).toEqual([404, 'deletion_not_found'])
})

test('deletes one decision by its id', async () => {
  const [decision] = await store({})
  const sending = { method: 'DELETE', role: 'admin' } as const
  const one = `/v1/decisions/${String(decision?.decision_id)}`
  const { status, body } = await scene.send({ ...sending, path: `${one}?reason=r` })
  expect([status, body]).toMatchObject([
    202,
    { scope: 'decision', subject: decision?.decision_id, decisions_found: 1, reason: 'r' }
  ])
  const organizationId = randomUUID()
  for (const sent of [
    { ...sending, path: `/v1/decisions/${randomUUID()}` },
    { ...sending, path: one, organizationId }
  ]) {
    const refused = await scene.send(sent)
    expect([refused.status, refused.body['code']]).toEqual([404, 'decision_not_found'])
  }
})

test('counts the decisions of an agent over all days', async () => {
  const agent_id = 'much'
  const days = Array.from({ length: 40 }, (_, index) => new Date(Date.UTC(2019 + index / 8, index)))
  await store(...days.map((day) => ({ agent_id, received_at: day.toISOString() })))
  const { body } = await ask({ scope: 'agent', subject: agent_id, dry_run: true })
  expect(body['decisions_found']).toBe(40)
})

test('continues the list after each page', async () => {
  const organizationId = randomUUID()
  const send = (path: string) => scene.send({ method: 'GET', path, role: 'admin', organizationId })
  for (let count = 0; count < 5; count++) {
    const body = { scope: 'session', subject: `s${count}`, reason: 'r', confirm: 0 }
    await scene.send({ method: 'POST', path, body, role: 'admin', organizationId })
  }
  const subjects: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await send(`${path}?limit=2${cursor}`)
    const { data, meta } = body as unknown as Page
    subjects.push(...data.map(({ subject }) => subject))
    cursor = meta.next_cursor === null ? null : `&cursor=${meta.next_cursor}`
  }
  expect(subjects).toEqual(['s4', 's3', 's2', 's1', 's0'])
})

test.each([
  [{ scope: 'decision', subject: 'x', dry_run: true }],
  [{ scope: 'organization', subject: 'x', dry_run: true }],
  [{ scope: 'session', subject: 's' }],
  [{ scope: 'session', subject: 's', dry_run: true, confirm: 1, reason: 'r' }],
  [{ scope: 'session', subject: 's', confirm: 1 }],
  [{ scope: 'session', subject: '\u0000', dry_run: true }],
  [{ scope: 'session', subject: '\ud800', dry_run: true }],
  [{ scope: 'session', subject: '', dry_run: true }],
  [{ scope: 'session', subject: 's', dry_run: true, force: true }],
  [{ scope: 'session', subject: 's', confirm: -1, reason: 'r' }]
])('refuses %j', async (body) => {
  const answer = await ask(body)
  expect([answer.status, answer.body['code']]).toEqual([422, 'invalid_body'])
})

test('rejects members', async () => {
  const body = { scope: 'session', subject: 's', dry_run: true }
  for (const sent of [
    { method: 'POST', path, body } as const,
    { method: 'GET', path } as const,
    { method: 'DELETE', path: `/v1/decisions/${randomUUID()}` } as const
  ]) {
    const { status, body: said } = await scene.send({ ...sent, role: 'member' })
    expect([status, said['code']]).toEqual([403, 'role_missing'])
  }
})

/** Acquires the lock that storage holds while it stores decisions. */
async function holdRules(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: scene.database.url })
  await client.connect()
  onEnd(() => client.end())
  await client.query('select pg_advisory_lock_shared($1)', [erasuresLockKey])
  return client
}

async function waitUntilRefused(): Promise<void> {
  const isWaiting = async (): Promise<boolean> => {
    const rows = await scene.database.query(
      `select from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and not granted
          and database = (select oid from pg_database where datname = current_database())`
    )
    return rows.length > 0
  }
  await waitUntil('the deletion waits for storage', isWaiting)
  await waitUntil('the wait has timed out', async () => !(await isWaiting()))
}

test('waits for a long transaction of storage', async () => {
  const client = await holdRules()
  const asked = ask({ scope: 'session', subject: 'patient', reason: 'r', confirm: 0 })
  await waitUntilRefused()
  await client.query('select pg_advisory_unlock_all()')
  expect((await asked).status).toBe(202)
})

test('returns 503 while storage does not release its lock', async () => {
  const client = await holdRules()
  const body = { scope: 'session', subject: 'held', reason: 'r', confirm: 0 }
  const held = await ask(body)
  expect([held.status, held.body['code']]).toEqual([503, 'store_unavailable'])
  await client.query('select pg_advisory_unlock_all()')
  expect((await ask(body)).status).toBe(202)
})
