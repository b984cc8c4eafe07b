/** Tests POST /v1/auth/login over HTTP with a database: tokens, uniform errors and throttling. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { hashPassword } from '../../../platform/security/password.ts'
import { createScene } from './scene.ts'
import type { Scene } from './scene.ts'

const password = 'correct horse battery staple'
let scene: Scene

beforeAll(async () => {
  scene = await createScene()
  const { database, organizationId } = scene
  const userId = randomUUID()
  await database.query(`insert into users (user_id, email, password_hash) values ($1, $2, $3)`, [
    ...[userId, 'ada@example.com', await hashPassword(password)]
  ])
  await database.query(
    `insert into memberships (organization_id, user_id, role) values ($1, $2, 'owner')`,
    [organizationId, userId]
  )
})

test('returns a token that can read the organization', async () => {
  const { status, body } = await scene.post('/v1/auth/login', {
    email: '  Ada@Example.COM ',
    password
  })
  expect(status).toBe(200)
  expect(body).toEqual({
    access_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: 900,
    refresh_token: expect.stringMatching(/^slr_[\w-]{43}$/),
    organization_id: scene.organizationId
  })
  const list = await scene.get('/v1/decisions', String(body['access_token']))
  expect(list.status).toBe(200)
})

test('responds alike to a wrong password and to an unknown email', async () => {
  const wrong = await scene.post('/v1/auth/login', { email: 'ada@example.com', password: 'x' })
  const unknown = await scene.post('/v1/auth/login', { email: 'eve@example.com', password })
  for (const { status, headers, body } of [wrong, unknown]) {
    expect([status, body['code']]).toEqual([401, 'login_failed'])
    expect(headers.get('www-authenticate')).toBe('Bearer realm="sluice"')
  }
  expect({ ...wrong.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' })
})

test.each([
  [{}, ['/email', '/password']],
  [{ email: 'a@example.com' }, ['/password']],
  [{ email: 1, password: true }, ['/email', '/password']],
  [{ email: 'a\u0000@example.com', password: 'x' }, ['/email']],
  [{ email: 'a@example.com', password: '' }, ['/password']],
  [{ email: 'a@example.com', password: 'x'.repeat(1025) }, ['/password']],
  [{ email: 'a@example.com', password: 'x', admin: true }, ['/admin']],
  [[], ['']]
])('rejects the body %j', async (body, pointers) => {
  const answer = await scene.post<{ code: string; errors: { pointer: string }[] }>(
    '/v1/auth/login',
    body
  )
  expect([answer.status, answer.body.code]).toEqual([422, 'invalid_body'])
  expect(answer.body.errors.map(({ pointer }) => pointer)).toEqual(pointers)
})

test('rejects a body that is not JSON without repeating it', async () => {
  const headers = { 'content-type': 'application/json' }
  const body = '{"password":"secret"'
  const response = await fetch(`${scene.url}/v1/auth/login`, { method: 'POST', headers, body })
  expect(response.status).toBe(400)
  expect(await response.text()).not.toContain('secret')
  const form = new URLSearchParams({ email: 'ada@example.com', password })
  const wrongType = await fetch(`${scene.url}/v1/auth/login`, { method: 'POST', body: form })
  expect(wrongType.status).toBe(415)
})

test('makes an account wait after too many attempts, even with the right password', async () => {
  const body = { email: 'grace@example.com', password }
  for (let time = 0; time < 10; time++) {
    expect((await scene.post('/v1/auth/login', body)).status).toBe(401)
  }
  const { status, headers, body: problem } = await scene.post('/v1/auth/login', body)
  expect([status, problem['code']]).toEqual([429, 'login_throttled'])
  expect(headers.get('retry-after')).toBe('900')
  // Other accounts are not throttled, and successful logins do not count toward the limit.
  for (let time = 0; time < 11; time++) {
    const other = await scene.post('/v1/auth/login', { email: 'ada@example.com', password })
    expect(other.status).toBe(200)
  }
})

test('reports a missing organization only after the correct password', async () => {
  const email = 'nomad@example.com'
  await scene.database.query(
    `insert into users (user_id, email, password_hash)
     select $1, $2, password_hash from users where email = 'ada@example.com'`,
    [randomUUID(), email]
  )
  const codeOf = async (attempted: string): Promise<unknown> => {
    const { status, body } = await scene.post('/v1/auth/login', { email, password: attempted })
    return [status, body['code']]
  }
  expect(await codeOf('wrong')).toEqual([401, 'login_failed'])
  expect(await codeOf(password)).toEqual([404, 'organization_not_found'])
})
