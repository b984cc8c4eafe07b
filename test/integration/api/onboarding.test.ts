/** Tests onboarding over HTTP with a database: its steps, and waiting for the next step. */
import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { insertApiKey } from '../../../store/insert-api-key.ts'
import type { RejectedAttempt } from '../../../usage/usage.ts'
import { aDecision } from '../../support/builders.ts'
import { createScene, storeDecision } from './scene.ts'
import type { Scene } from './scene.ts'

const path = '/v1/auth/onboarding'
const at = Date.now()
const attempt: RejectedAttempt = {
  ...{ at, key_id: 'abcdefghijkl', status: 422, code: 'invalid_decision', detail: 'No.' },
  ...{ pointer: '/output', agent_id: null, sdk_version: null, request_id: 'request-1' }
}

type Answer = {
  readonly steps: readonly { readonly id: string; readonly done_at: string | null }[]
  readonly complete: boolean
  readonly snippets: Record<string, string>
  readonly recent_attempts: readonly object[] | null
}

let scene: Scene

beforeAll(async () => {
  scene = await createScene()
})

beforeEach(() => {
  scene.readUsage.attempts = async () => []
  scene.readUsage.keyUse = async () => new Map()
})

async function read(query = '', token?: string): Promise<Answer> {
  const { status, body } = await scene.get<Answer>(`${path}${query}`, token)
  expect(status).toBe(200)
  return body
}

function doneOf({ steps }: Answer): string[] {
  return steps.flatMap(({ id, done_at }) => (done_at === null ? [] : [id]))
}

async function storeHour(organizationId: string, receivedAt: number): Promise<void> {
  await scene.database.query(
    `insert into decision_hours (organization_id, hour, agent_id, domain, decisions, input_tokens,
                                 output_tokens, input_tokens_known, output_tokens_known, errors,
                                 errors_known, latency_ms, latency_known)
     values ($1, date_trunc('hour', $2::timestamptz, 'UTC'), '', '', 1, 0, 0, 0, 0, 0, 0, 0, 0)`,
    [organizationId, new Date(receivedAt)]
  )
}

test('marks the steps as done one after the other', async () => {
  const before = await read()
  expect(doneOf(before)).toEqual([])
  expect(before).toMatchObject({ complete: false, recent_attempts: [] })
  expect(before.snippets['curl']).toContain(`'${scene.url}/v1/ingest'`)

  await insertApiKey(scene.database, 'a pepper', {
    organization_id: scene.organizationId,
    ...{ name: 'first', environment: 'test', scopes: ['ingest'] },
    ...{ expires_at: null, rate_limit_points: null }
  })
  expect(doneOf(await read())).toEqual(['key_created'])

  scene.readUsage.attempts = async (organizationId) =>
    organizationId === scene.organizationId ? [attempt] : []
  const refused = await read()
  expect(doneOf(refused)).toEqual(['key_created', 'first_request_seen'])
  expect(refused.recent_attempts).toEqual([{ ...attempt, at: new Date(at).toISOString() }])

  // The steps of another organization are separate.
  expect(doneOf(await read('', scene.foreignToken))).toEqual([])

  const decision = aDecision({ organization_id: scene.organizationId, received_at: at })
  const waiting = read('?wait=20&done=2')
  await storeDecision(scene.database, decision)
  await storeHour(scene.organizationId, at)
  expect(doneOf(await waiting)).toContain('first_decision_stored')
})

test('returns null for recent attempts without Redis, and all other fields', async () => {
  const away = async () => null
  Object.assign(scene.readUsage, { attempts: away, keyUse: away })
  const { recent_attempts, steps } = await read()
  expect(recent_attempts).toBeNull()
  expect(steps.length).toBeGreaterThan(3)
})

test('ends a wait in time, and rejects a wait that is too long', async () => {
  const before = performance.now()
  expect((await read('?wait=1')).complete).toBe(false)
  expect(performance.now() - before).toBeGreaterThan(900)
  expect((await scene.get(`${path}?wait=31`)).status).toBe(422)
})

test('rejects a test event on a gateway that does not accept decisions', async () => {
  const test = { method: 'POST', path: `${path}/test-event`, body: {} } as const
  const elsewhere = await scene.send(test)
  expect([elsewhere.status, elsewhere.body['code']]).toEqual([409, 'ingest_elsewhere'])
  const viewer = await scene.send({ ...test, role: 'viewer' })
  expect([viewer.status, viewer.body['code']]).toEqual([403, 'role_missing'])
  const wrong = await scene.send({ ...test, body: { key: 'slk_' } })
  expect([wrong.status, wrong.body['code']]).toEqual([422, 'invalid_body'])
})
