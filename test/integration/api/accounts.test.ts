/** Accounts over HTTP and a real store: registering, letters, passwords, who one is. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { waitUntil } from '../../support/wait-until.ts'
import { countLetters, logIn, newEmail, password, refresh } from './account-scene.ts'
import { register, tokenOfLetter } from './account-scene.ts'
import type { Refusal, Registered } from './account-scene.ts'
import { createScene } from './scene.ts'
import type { Answer, Scene } from './scene.ts'

let scene: Scene
const newPassword = 'another horse with a staple'

beforeAll(async () => {
  scene = await createScene()
})

const refusedAt = ({ body }: Answer<unknown>): string[] =>
  ((body as Refusal).errors ?? []).map(({ pointer }) => pointer)
const codeOf = ({ body }: Answer<unknown>): string => (body as Refusal).code
const change = (token: string, body: object) =>
  fetch(`${scene.url}/v1/auth/password`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body)
  })

describe('registering', () => {
  test('makes a person, an organization, a session and a key that may send', async () => {
    const email = newEmail()
    const { status, body } = await register(scene, {
      email: ` ${email.toUpperCase()} `,
      name: 'Ada'
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      user: { email, name: 'Ada', email_verified: false },
      organization: { id: body.organization_id, name: 'Example' },
      api_key: { key: expect.stringMatching(/^slk_live_/), scopes: ['ingest'] },
      token_type: 'Bearer',
      expires_in: 900
    })
    const { body: me } = await scene.get('/v1/auth/me', body.access_token)
    expect(me).toMatchObject({
      user: body.user,
      organizations: [{ id: body.organization_id, name: 'Example', role: 'owner' }],
      role: 'owner'
    })
    const keys = await scene.database.query(
      `select key_id, scopes, created_by from api_keys where organization_id = $1`,
      [body.organization_id]
    )
    const created = { key_id: body.api_key?.id, scopes: ['ingest'], created_by: body.user.id }
    expect(keys).toEqual([created])
    expect((await logIn(scene, email)).body.organization_id).toBe(body.organization_id)
  })

  test('makes no key when none is wanted', async () => {
    const { body } = await register(scene, { create_key: false })
    expect(body.api_key).toBeNull()
    expect(body.next.map(({ path }) => path)).not.toContain('/v1/ingest')
  })

  test('with an email that is taken is refused, and leaves nothing behind', async () => {
    const { body } = await register(scene)
    const name = randomUUID()
    const again = await register(scene, { email: body.user.email, organization_name: name })
    expect([again.status, codeOf(again)]).toEqual([409, 'email_taken'])
    expect(
      await scene.database.query(`select 1 from organizations where name = $1`, [name])
    ).toEqual([])
  })

  test('of one email twice at once makes one account', async () => {
    const email = newEmail()
    const answers = await Promise.all([1, 2, 3].map(() => register(scene, { email })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
  })

  test.each([
    [{ email: 'ada' }, ['/email']],
    [{ email: 'ada@localdomain@example.com' }, ['/email']],
    [{ email: `${'a'.repeat(250)}@example.com` }, ['/email']],
    [{ email: 'ada@exa\nmple.com' }, ['/email']],
    [{ password: 'short' }, ['/password']],
    [{ password: 'password' }, ['/password']],
    [{ password: 'x'.repeat(201) }, ['/password']],
    [{ email: 'ada.lovelace@example.com', password: 'ada.lovelace@example.com' }, ['/password']],
    [{ email: 'ada', password: 'short' }, ['/email', '/password']],
    [{ organization_name: '  ' }, ['/organization_name']],
    [{ organization_name: undefined }, ['/organization_name']],
    [{ organization_name: 'x'.repeat(101) }, ['/organization_name']],
    [{ name: 'a\u0000' }, ['/name']],
    [{ name: '\ud800' }, ['/name']],
    [{ admin: true }, ['/admin']]
  ])('with %j is refused', async (more, pointers) => {
    const answer = await register(scene, more)
    expect([answer.status, codeOf(answer)]).toEqual([422, 'invalid_body'])
    expect(refusedAt(answer)).toEqual(pointers)
  })

  test('is refused where nobody may, and needs an invite where only guests may', async () => {
    const body = { email: newEmail(), password, organization_name: 'Example' }
    const codes: unknown[] = []
    for (const REGISTRATION of ['closed', 'invite']) {
      const url = await scene.serveAnother({ REGISTRATION })
      for (const invite of [{}, { invite_token: 'sli_unknown' }]) {
        const answer = await fetch(`${url}/v1/auth/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ ...body, ...invite })
        })
        codes.push([answer.status, ((await answer.json()) as Refusal).code])
      }
    }
    const closed = [403, 'registration_closed']
    expect(codes).toEqual([closed, closed, closed, [422, 'token_invalid']])
  })

  test('with an invite joins its organization with its role, and makes none', async () => {
    const { body: host } = await register(scene)
    const email = newEmail()
    const token = `sli_${randomUUID()}`
    await scene.database.query(
      `insert into invites (organization_id, invite_id, email, role, token_digest, invited_by,
                            expires_at)
       values ($1, gen_random_uuid(), $2, 'viewer', sha256($3::text::bytea), $4,
               now() + interval '1 day')`,
      [host.organization_id, email, token, host.user.id]
    )
    const stranger = await register(scene, { invite_token: token })
    expect([stranger.status, codeOf(stranger)]).toEqual([422, 'token_invalid'])
    const taken = { email: host.user.email, invite_token: token }
    expect(codeOf(await register(scene, taken))).toBe('token_invalid')
    const { status, body } = await register(scene, { email, invite_token: token })
    expect([status, body.organization.id, body.api_key]).toEqual([201, host.organization_id, null])
    const { body: me } = await scene.get('/v1/auth/me', body.access_token)
    expect(me).toMatchObject({ role: 'viewer', permissions: ['read'] })
    expect(me['organizations']).toHaveLength(1)
  })
})

describe('an email', () => {
  const verify = (token: string) => scene.post<Refusal>('/v1/auth/email/verify', { token })
  const again = (token: string) => scene.post('/v1/auth/email/verification', undefined, token)

  test('is verified with the token of its letter, once', async () => {
    const { body } = await register(scene)
    const token = await tokenOfLetter(scene, body.user.email)
    expect((await verify(token)).status).toBe(200)
    expect(codeOf(await verify(token))).toBe('token_invalid')
    const { body: me } = await scene.get('/v1/auth/me', body.access_token)
    expect(me).toMatchObject({ user: { email_verified: true } })
    expect((await again(body.access_token)).body).toMatchObject({ email_verified: true })
    expect(await countLetters(scene, body.user.email)).toBe(1)
  })

  test('gets another letter, and the token of the first is over', async () => {
    const { body } = await register(scene)
    const before = await tokenOfLetter(scene, body.user.email)
    expect((await again(body.access_token)).status).toBe(202)
    const token = await tokenOfLetter(scene, body.user.email, 2)
    expect(codeOf(await verify(before))).toBe('token_invalid')
    expect((await verify(token)).status).toBe(200)
  })

  test('is not verified with a token that is too old, or for a password', async () => {
    const { body } = await register(scene)
    const token = await tokenOfLetter(scene, body.user.email)
    const reset = await scene.post<Refusal>('/v1/auth/password/reset', {
      token,
      new_password: newPassword
    })
    expect([reset.status, codeOf(reset)]).toEqual([422, 'token_invalid'])
    await scene.database.query(`update email_tokens set expires_at = now() where user_id = $1`, [
      body.user.id
    ])
    expect(codeOf(await verify(token))).toBe('token_invalid')
  })
})

describe('a password', () => {
  test('is changed by who knows it, and ends all other sessions', async () => {
    const { body } = await register(scene)
    const { body: other } = await logIn(scene, body.user.email)
    const wrong = await change(body.access_token, {
      current_password: 'not this one',
      new_password: newPassword
    })
    expect([wrong.status, ((await wrong.json()) as Refusal).errors?.[0]?.pointer]).toEqual([
      422,
      '/current_password'
    ])
    const { status } = await change(body.access_token, {
      current_password: password,
      new_password: newPassword
    })
    expect(status).toBe(200)
    expect((await scene.get('/v1/auth/me', body.access_token)).status).toBe(200)
    expect((await scene.get('/v1/auth/me', other.access_token)).status).toBe(401)
    expect((await logIn(scene, body.user.email)).status).toBe(401)
    expect((await logIn(scene, body.user.email, newPassword)).status).toBe(200)
  })

  test('is changed to one that may be, and guessed no oftener than a login', async () => {
    const { body } = await register(scene)
    const weak = await change(body.access_token, {
      current_password: password,
      new_password: body.user.email
    })
    expect(((await weak.json()) as Refusal).errors?.[0]?.pointer).toBe('/new_password')
    const codes = new Set<string>()
    for (let time = 0; time < 11; time++) {
      const guess = { current_password: `guess ${time}`, new_password: newPassword }
      codes.add(((await (await change(body.access_token, guess)).json()) as Refusal).code)
    }
    expect([...codes]).toEqual(['invalid_body', 'login_throttled'])
  })

  test('is set anew by letter, and ends every session', async () => {
    const { body } = await register(scene)
    const { email } = body.user
    expect((await scene.post('/v1/auth/password/forgot', { email })).status).toBe(202)
    const token = await tokenOfLetter(scene, email, 2)
    const reset = (new_password: string) =>
      scene.post<Refusal>('/v1/auth/password/reset', { token, new_password })
    expect(refusedAt(await reset('password'))).toEqual(['/new_password'])
    expect((await reset(newPassword)).status).toBe(200)
    expect(codeOf(await reset(newPassword))).toBe('token_invalid')
    expect((await scene.get('/v1/auth/me', body.access_token)).status).toBe(401)
    expect((await refresh(scene, body.refresh_token)).status).toBe(401)
    const { status, body: session } = await logIn(scene, email, newPassword)
    expect(status).toBe(200)
    const { body: me } = await scene.get('/v1/auth/me', session.access_token)
    expect(me).toMatchObject({ user: { email_verified: true } })
  })

  test('is set by any letter of the hour, and all others are over with it', async () => {
    const { email } = (await register(scene)).body.user
    const forgot = () => scene.post('/v1/auth/password/forgot', { email })
    const reset = (token: string) =>
      scene.post<Refusal>('/v1/auth/password/reset', { token, new_password: newPassword })
    await forgot()
    const first = await tokenOfLetter(scene, email, 2)
    // As a stranger may do, who wants to keep the person out.
    await forgot()
    const second = await tokenOfLetter(scene, email, 3)
    expect((await reset(first)).status).toBe(200)
    expect(codeOf(await reset(second))).toBe('token_invalid')
  })

  test('of an email that nobody has is forgotten just the same', async () => {
    const { body: known } = await register(scene)
    const [there, nowhere] = [known.user.email, newEmail()]
    const answers = []
    for (const email of [there, nowhere]) {
      answers.push(await scene.post('/v1/auth/password/forgot', { email }))
    }
    expect(answers.map(({ status }) => status)).toEqual([202, 202])
    expect(answers[0]?.text).toBe(answers[1]?.text)
    await waitUntil('the letter', async () => (await countLetters(scene, there)) === 2)
    expect(await countLetters(scene, nowhere)).toBe(0)
  })
})

describe('whoami', () => {
  test('tells a session and a key of any scope what they are', async () => {
    const { body } = await register(scene)
    const session = await scene.get('/v1/auth/whoami', body.access_token)
    expect(session.body).toMatchObject({ kind: 'session', user_id: body.user.id, role: 'owner' })
    const key = await scene.get('/v1/auth/whoami', scene.keyWith('ingest'))
    expect(key.body).toMatchObject({
      kind: 'api_key',
      scopes: ['ingest'],
      organization: { id: scene.organizationId }
    })
    expect((await scene.get('/v1/auth/whoami', 'slk_live_x')).status).toBe(401)
  })
})

test('a person is renamed, and unnamed', async () => {
  const { body } = await register(scene)
  const rename = async (name: string | null) => {
    const answer = await fetch(`${scene.url}/v1/auth/me`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${body.access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name })
    })
    return ((await answer.json()) as Registered).user
  }
  expect(await rename('Countess 🔑')).toMatchObject({ name: 'Countess 🔑' })
  expect(await rename(null)).toMatchObject({ name: null })
})

test('the keys of tokens are shown, and verify one', async () => {
  const { body } = await scene.get<{ keys: { kid: string }[] }>('/v1/auth/.well-known/jwks.json')
  const [header = ''] = scene.token.split('.')
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }
  expect(body.keys.map((key) => key.kid)).toEqual([kid])
  expect(JSON.stringify(body)).not.toContain('"d"')
})
