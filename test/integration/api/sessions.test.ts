/** Tests sessions over HTTP with a database: refresh, cookies, expiry and revocation. */
import { beforeAll, describe, expect, test } from '@jest/globals'
import { waitUntil } from '../../support/wait-until.ts'
import { logIn, password, refresh, register } from './account-scene.ts'
import type { SessionBody, ProblemBody, Registered } from './account-scene.ts'
import { createScene } from './scene.ts'
import type { Scene } from './scene.ts'

interface SessionList {
  readonly data: readonly {
    readonly session_id: string
    readonly is_current: boolean
    readonly user_agent: string
  }[]
  readonly meta: { readonly next_cursor: string | null }
}

let scene: Scene
let email: string
let first: Registered

beforeAll(async () => {
  scene = await createScene()
  const { body } = await register(scene)
  first = body
  email = body.user.email
})

const opened = async (): Promise<SessionBody> => (await logIn(scene, email)).body
const me = (token: string) => scene.get('/v1/auth/me', token)
const logOut = (token: string, body: object = {}) => scene.post('/v1/auth/logout', body, token)

/** Backdates the use of the session's refresh tokens by this many seconds. */
async function age(refreshToken: string, seconds: number): Promise<void> {
  await scene.database.query(
    `update refresh_tokens set used_at = used_at - make_interval(secs => $2)
      where session_id = (select session_id from refresh_tokens
                           where token_digest = sha256($1::text::bytea))`,
    [refreshToken, seconds]
  )
}

describe('a refresh', () => {
  test('returns a working access token and another refresh token each time', async () => {
    const tokens = [(await opened()).refresh_token]
    for (let round = 0; round < 3; round++) {
      const { status, body } = await refresh(scene, tokens.at(-1) ?? '')
      expect(status).toBe(200)
      expect((await me(body.access_token)).status).toBe(200)
      tokens.push(body.refresh_token)
    }
    expect(new Set(tokens).size).toBe(4)
    for (const token of tokens) expect(token).toMatch(/^slr_[\w-]{43}$/)
  })

  test('returns the same successor to ten concurrent requests', async () => {
    const { refresh_token } = await opened()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => refresh(scene, refresh_token))
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    const [successor, ...others] = new Set(answers.map(({ body }) => body.refresh_token))
    expect(others).toEqual([])
    expect((await refresh(scene, successor ?? '')).status).toBe(200)
  })

  test('returns the same successor on another gateway', async () => {
    const other = { ...scene, url: await scene.serveAnother() }
    const { refresh_token } = await opened()
    const here = await refresh(scene, refresh_token)
    const there = await fetch(`${other.url}/v1/auth/refresh`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ refresh_token })
    })
    expect(((await there.json()) as SessionBody).refresh_token).toBe(here.body.refresh_token)
  })

  test('ends the session for all clients if a token was used before', async () => {
    const { refresh_token } = await opened()
    const thief = (await refresh(scene, refresh_token)).body
    await age(refresh_token, 11)
    const { status, body, headers } = await refresh<ProblemBody>(scene, refresh_token)
    expect([status, body.code]).toEqual([401, 'refresh_reused'])
    expect(headers.get('www-authenticate')).toContain('Bearer')
    expect((await me(thief.access_token)).body['code']).toBe('session_invalid')
    const after = await refresh<ProblemBody>(scene, thief.refresh_token)
    expect([after.status, after.body.code]).toEqual([401, 'refresh_invalid'])
    const [noted] = await scene.database.query(
      `select action, actor_id, details from audit_log
        where organization_id = $1 order by created_at desc limit 1`,
      [first.organization_id]
    )
    expect(noted).toEqual({
      ...{ action: 'session.ended', actor_id: first.user.id },
      details: '{"reason":"refresh_reused","sessions":1}'
    })
  })

  test('ends the session at once if the successor of the token was used', async () => {
    const { refresh_token } = await opened()
    const { body } = await refresh(scene, refresh_token)
    await refresh(scene, body.refresh_token)
    expect((await refresh<ProblemBody>(scene, refresh_token)).body.code).toBe('refresh_reused')
  })

  test('is limited, except for concurrent tabs and the detection of reuse', async () => {
    const tokens = [(await opened()).refresh_token]
    const next = () => refresh(scene, tokens.at(-1) ?? '')
    for (let time = 0; time < 30; time++) {
      const { status, body } = await next()
      expect(status).toBe(200)
      tokens.push(body.refresh_token)
    }
    const refused = await next()
    const { code } = refused.body as unknown as ProblemBody
    expect([refused.status, code]).toEqual([429, 'login_throttled'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const repeats = await Promise.all(
      Array.from({ length: 40 }, () => refresh(scene, tokens.at(-2) ?? ''))
    )
    expect(new Set(repeats.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await refresh<ProblemBody>(scene, tokens[0] ?? '')).body.code).toBe('refresh_reused')
    expect((await refresh<ProblemBody>(scene, tokens.at(-1) ?? '')).body.code).toBe(
      'refresh_invalid'
    )
  })

  test.each([
    ['expires_at', '29 days', 200],
    ['expires_at', '31 days', 401],
    ['ends_at', '91 days', 401]
  ])('with its %s moved %s into the past returns %i', async (column, by, expected) => {
    const { refresh_token } = await opened()
    await scene.database.query(
      `update sessions set ${column} = ${column} - $2::interval
        where session_id = (select session_id from refresh_tokens
                             where token_digest = sha256($1::text::bytea))`,
      [refresh_token, by]
    )
    expect((await refresh(scene, refresh_token)).status).toBe(expected)
  })

  test('never extends the session beyond 90 days after the login', async () => {
    const { refresh_token, access_token } = await opened()
    await scene.database.query(
      `update sessions set ends_at = now() + interval '1 hour'
        where session_id = (select session_id from refresh_tokens
                             where token_digest = sha256($1::text::bytea))`,
      [refresh_token]
    )
    await refresh(scene, refresh_token)
    const [ends] = await scene.database.query<{ is_within: boolean }>(
      `select expires_at <= ends_at as is_within from sessions
        order by last_used_at desc limit 1`
    )
    expect(ends).toEqual({ is_within: true })
    expect((await me(access_token)).status).toBe(200)
  })

  test.each([
    [{}, 401, 'refresh_invalid'],
    [{ refresh_token: `slr_${'A'.repeat(43)}` }, 401, 'refresh_invalid'],
    [{ refresh_token: 'slr_short' }, 422, 'invalid_body'],
    [{ refresh_token: 1 }, 422, 'invalid_body'],
    [{ token: 'x' }, 422, 'invalid_body']
  ])('rejects %j', async (body, status, code) => {
    const answer = await scene.post<ProblemBody>('/v1/auth/refresh', body)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })
})

describe('the cookie of a browser', () => {
  const cookieOf = (headers: Headers): string => headers.get('set-cookie') ?? ''
  const send = (path: string, headers: Record<string, string>, url = scene.url) =>
    fetch(`${url}${path}`, { method: 'POST', headers, body: '{}' })

  test('contains the refresh token, and the body does not', async () => {
    const { headers, text } = await scene.post('/v1/auth/login', { email, password, cookie: true })
    const [pair = '', ...attributes] = cookieOf(headers).split('; ')
    expect(pair).toMatch(/^sluice_refresh=slr_[\w-]{43}$/)
    expect(attributes).toEqual(['Max-Age=2592000', 'Path=/v1/auth', 'HttpOnly', 'SameSite=Strict'])
    expect(text).not.toContain('slr_')
    const json = { 'content-type': 'application/json', cookie: `a=b; ${pair}; c=d` }
    const refreshed = await send('/v1/auth/refresh', json)
    expect(refreshed.status).toBe(200)
    expect(cookieOf(refreshed.headers)).not.toContain(pair)
    expect(await refreshed.text()).not.toContain('slr_')
    // A form on another site can send this content type and `text/plain`, but not JSON.
    const form = { ...json, 'content-type': 'application/x-www-form-urlencoded' }
    expect((await send('/v1/auth/refresh', form)).status).toBe(415)
    const plain = { ...json, 'content-type': 'text/plain' }
    expect((await send('/v1/auth/refresh', plain)).status).toBe(415)
  })

  test('is not accepted as a credential elsewhere', async () => {
    const { headers } = await scene.post('/v1/auth/login', { email, password, cookie: true })
    const cookie = cookieOf(headers).split(';')[0] ?? ''
    const answer = await fetch(`${scene.url}/v1/auth/me`, { headers: { cookie } })
    expect(answer.status).toBe(401)
  })

  test('is removed by a logout', async () => {
    const { headers } = await logOut((await opened()).access_token)
    expect(cookieOf(headers)).toContain('sluice_refresh=; Max-Age=0')
  })

  test('has the attribute Secure if the page or the public URL is https', async () => {
    const publicUrl = await scene.serveAnother({ PUBLIC_URL: 'https://sluice.example.com' })
    const cookieFrom = async (url: string, origin: string) => {
      const answer = await fetch(`${url}/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin },
        body: JSON.stringify({ email, password, cookie: true })
      })
      return cookieOf(answer.headers)
    }
    expect(await cookieFrom(publicUrl, 'http://localhost:3000')).toMatch(/; Secure$/)
    expect(await cookieFrom(scene.url, 'https://sluice.example.com')).toMatch(/; Secure$/)
    expect(await cookieFrom(scene.url, 'http://localhost:3000')).not.toContain('Secure')
  })

  test('has a name over TLS that no other host of the domain can set', async () => {
    const origin = 'https://sluice.example.com'
    const json = { 'content-type': 'application/json', origin }
    const body = JSON.stringify({ email, password, cookie: true })
    const answer = await fetch(`${scene.url}/v1/auth/login`, {
      ...{ method: 'POST', headers: json, body }
    })
    const [pair = '', ...attributes] = cookieOf(answer.headers).split('; ')
    expect(pair).toMatch(/^__Host-sluice_refresh=slr_/)
    expect(attributes).toEqual([
      ...['Max-Age=2592000', 'Path=/', 'HttpOnly', 'SameSite=Strict', 'Secure']
    ])
    // A neighbor can have its own session, and set its token under the name without the prefix.
    const foreign = pair.replace('__Host-', '')
    const tossed = await send('/v1/auth/refresh', { ...json, cookie: foreign })
    expect([tossed.status, ((await tossed.json()) as ProblemBody).code]).toEqual([
      ...[401, 'refresh_invalid']
    ])
    const both = { ...json, cookie: `${foreign}; ${pair}` }
    expect((await send('/v1/auth/refresh', both)).status).toBe(200)
  })

  test('is rejected next to another one, whose host is unknown', async () => {
    const { headers } = await scene.post('/v1/auth/login', { email, password, cookie: true })
    const own = cookieOf(headers).split(';')[0] ?? ''
    const send = (cookie: string) =>
      fetch(`${scene.url}/v1/auth/refresh`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie },
        body: '{}'
      })
    const foreign = `sluice_refresh=slr_${'A'.repeat(43)}`
    for (const cookie of [`${own}; ${foreign}`, `${foreign}; ${own}`, `${own};${own}`]) {
      const answer = await send(cookie)
      expect([answer.status, (await answer.json()) as ProblemBody]).toMatchObject([
        ...[401, { code: 'refresh_invalid', detail: expect.stringContaining('more than one') }]
      ])
    }
    expect((await send(own)).status).toBe(200)
  })
})

describe('a session', () => {
  test('ends with its logout: at once on this gateway, within 5 seconds elsewhere', async () => {
    const elsewhere = await scene.serveAnother()
    const { access_token, refresh_token } = await opened()
    const read = async () => {
      const headers = { authorization: `Bearer ${access_token}` }
      return (await fetch(`${elsewhere}/v1/auth/me`, { headers })).status
    }
    expect(await read()).toBe(200)
    expect((await logOut(access_token)).body).toEqual({ sessions_ended: 1 })
    expect((await me(access_token)).body['code']).toBe('session_invalid')
    await waitUntil('rejected elsewhere', async () => (await read()) === 401, 5000)
    expect((await refresh(scene, refresh_token)).status).toBe(401)
  })

  test('ends with the membership, and follows a change of role', async () => {
    const { body } = await register(scene)
    const change = (role: string) =>
      scene.database.query(`update memberships set role = $2 where user_id = $1`, [
        body.user.id,
        role
      ])
    await change('viewer')
    const rule = await scene.post('/v1/evaluation/rules', {}, body.access_token)
    expect(rule.body['code']).toBe('role_missing')
    await scene.database.query(`delete from memberships where user_id = $1`, [body.user.id])
    await waitUntil(
      'no longer a member',
      async () => (await me(body.access_token)).body['code'] === 'session_invalid',
      5000
    )
    expect((await refresh<ProblemBody>(scene, body.refresh_token)).body.code).toBe(
      'refresh_invalid'
    )
    const login = await logIn(scene, body.user.email)
    expect([login.status, (login.body as unknown as ProblemBody).code]).toEqual([
      404,
      'organization_not_found'
    ])
  })

  test('is listed with the other sessions of its user, and marked as current', async () => {
    const { body: registered } = await register(scene)
    const { body: second } = await logIn(scene, registered.user.email)
    const { body } = await scene.get<SessionList>('/v1/auth/sessions', second.access_token)
    expect(body.data.map(({ is_current }) => is_current)).toEqual([false, true])
    const page = await scene.get<SessionList>('/v1/auth/sessions?limit=1', second.access_token)
    expect(page.body.data).toHaveLength(1)
    const cursor = page.body.meta.next_cursor ?? ''
    const rest = await scene.get<SessionList>(
      `/v1/auth/sessions?limit=1&cursor=${cursor}`,
      second.access_token
    )
    expect(rest.body.data.map(({ is_current }) => is_current)).toEqual([true])
    expect(rest.body.meta.next_cursor).toBeNull()
  })

  test('can be revoked by its user from another session, and not by others', async () => {
    const { body: registered } = await register(scene)
    const { body: second } = await logIn(scene, registered.user.email)
    const { body } = await scene.get<SessionList>('/v1/auth/sessions', second.access_token)
    const id = body.data[0]?.session_id ?? ''
    const end = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const path = `${scene.url}/v1/auth/sessions/${id}`
      return (await fetch(path, { method: 'DELETE', headers })).status
    }
    expect(await end(first.access_token)).toBe(404)
    expect(await end(second.access_token)).toBe(200)
    expect(await end(second.access_token)).toBe(404)
    expect((await me(registered.access_token)).status).toBe(401)
    expect((await me(second.access_token)).status).toBe(200)
  })

  test('ends with all others when the user logs out everywhere', async () => {
    const { body: registered } = await register(scene)
    const others = await Promise.all([1, 2].map(() => logIn(scene, registered.user.email)))
    expect((await logOut(registered.access_token, { all: true })).body).toEqual({
      sessions_ended: 3
    })
    for (const { body } of others) expect((await me(body.access_token)).status).toBe(401)
    expect((await me(first.access_token)).status).toBe(200)
  })

  test('ends as the oldest when its user exceeds a thousand sessions', async () => {
    const { body: registered } = await register(scene)
    await scene.database.query(
      `insert into sessions (session_id, user_id, organization_id, expires_at, ends_at)
       select gen_random_uuid(), $1, $2, now() + interval '1 day', now() + interval '1 day'
         from generate_series(1, 999)`,
      [registered.user.id, registered.organization_id]
    )
    await logIn(scene, registered.user.email)
    const [row] = await scene.database.query<{ live: number; ended: string }>(
      `select count(*) filter (where revoked_at is null)::integer as live,
              string_agg(revoked_reason, ',') as ended
         from sessions where user_id = $1`,
      [registered.user.id]
    )
    expect(row).toEqual({ live: 1000, ended: 'many' })
  })
})

test('records every login and logout in the audit log, without tokens', async () => {
  const { body } = await register(scene)
  const { body: login } = await logIn(scene, body.user.email)
  await logOut(login.access_token)
  const rows = await scene.database.query(
    `select * from audit_log where organization_id = $1 order by created_at`,
    [body.organization_id]
  )
  expect(rows.map(({ action }) => action)).toEqual([
    'organization.created',
    'api_key.created',
    'session.begun',
    'session.ended'
  ])
  expect(JSON.stringify(rows)).not.toMatch(/slr_|slk_|eyJ/)
})
