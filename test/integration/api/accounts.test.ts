/** Tests accounts over HTTP with a database: email verification, passwords, and the current user.
 */
import { beforeAll, describe, expect, test } from '@jest/globals'
import { waitUntil } from '../../support/wait-until.ts'
import { countEmails, logIn, newEmail, password, refresh } from './account-scene.ts'
import { register, tokenOfEmail } from './account-scene.ts'
import type { ProblemBody, Registered } from './account-scene.ts'
import { createScene } from './scene.ts'
import type { Answer, Scene } from './scene.ts'

let scene: Scene
const newPassword = 'another horse with a staple'

beforeAll(async () => {
  scene = await createScene()
})

const refusedAt = ({ body }: Answer<unknown>): string[] =>
  ((body as ProblemBody).errors ?? []).map(({ pointer }) => pointer)
const codeOf = ({ body }: Answer<unknown>): string => (body as ProblemBody).code
const change = (token: string, body: object) =>
  fetch(`${scene.url}/v1/auth/password`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body)
  })

describe('email verification', () => {
  const verify = (token: string) => scene.post<ProblemBody>('/v1/auth/email/verify', { token })
  const again = (token: string) => scene.post('/v1/auth/email/verification', undefined, token)

  /** Registers a user and marks the email as unverified, as after a registration with an invite. */
  const unverified = async (): Promise<Registered> => {
    const { body } = await register(scene)
    await scene.database.query(`update users set email_verified_at = null where user_id = $1`, [
      body.user.id
    ])
    return body
  }

  test('accepts the token of an email once', async () => {
    const body = await unverified()
    expect((await again(body.access_token)).status).toBe(202)
    const token = await tokenOfEmail(scene, body.user.email, 2)
    expect((await verify(token)).status).toBe(200)
    expect(codeOf(await verify(token))).toBe('token_invalid')
    const { body: me } = await scene.get('/v1/auth/me', body.access_token)
    expect(me).toMatchObject({ user: { email_verified: true } })
    expect((await again(body.access_token)).body).toMatchObject({ email_verified: true })
    expect(await countEmails(scene, body.user.email)).toBe(2)
  })

  test('invalidates the token of the first email with the second', async () => {
    const body = await unverified()
    expect((await again(body.access_token)).status).toBe(202)
    const before = await tokenOfEmail(scene, body.user.email, 2)
    expect((await again(body.access_token)).status).toBe(202)
    const token = await tokenOfEmail(scene, body.user.email, 3)
    expect(codeOf(await verify(before))).toBe('token_invalid')
    expect((await verify(token)).status).toBe(200)
  })

  test('rejects an expired token, and a token for another purpose', async () => {
    const body = await unverified()
    await again(body.access_token)
    const token = await tokenOfEmail(scene, body.user.email, 2)
    const reset = await scene.post<ProblemBody>('/v1/auth/password/reset', {
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
  test('is changed by a user who knows it, and ends all other sessions', async () => {
    const { body } = await register(scene)
    const { body: other } = await logIn(scene, body.user.email)
    const wrong = await change(body.access_token, {
      current_password: 'not this one',
      new_password: newPassword
    })
    expect([wrong.status, ((await wrong.json()) as ProblemBody).errors?.[0]?.pointer]).toEqual([
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

  test('must follow the rules, and cannot be guessed more often than at a login', async () => {
    const { body } = await register(scene)
    const weak = await change(body.access_token, {
      current_password: password,
      new_password: body.user.email
    })
    expect(((await weak.json()) as ProblemBody).errors?.[0]?.pointer).toBe('/new_password')
    const codes = new Set<string>()
    for (let time = 0; time < 11; time++) {
      const guess = { current_password: `guess ${time}`, new_password: newPassword }
      codes.add(((await (await change(body.access_token, guess)).json()) as ProblemBody).code)
    }
    expect([...codes]).toEqual(['invalid_body', 'login_throttled'])
  })

  test('is reset with the token of an email, and ends every session', async () => {
    const { body } = await register(scene)
    const { email } = body.user
    expect((await scene.post('/v1/auth/password/forgot', { email })).status).toBe(202)
    const token = await tokenOfEmail(scene, email, 2)
    const reset = (new_password: string) =>
      scene.post<ProblemBody>('/v1/auth/password/reset', { token, new_password })
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

  test('is reset with any valid token, which invalidates all others', async () => {
    const { email } = (await register(scene)).body.user
    const forgot = () => scene.post('/v1/auth/password/forgot', { email })
    const reset = (token: string) =>
      scene.post<ProblemBody>('/v1/auth/password/reset', { token, new_password: newPassword })
    await forgot()
    const first = await tokenOfEmail(scene, email, 2)
    // If the second request invalidated the first token, a stranger could lock the user out.
    await forgot()
    const second = await tokenOfEmail(scene, email, 3)
    expect((await reset(first)).status).toBe(200)
    expect(codeOf(await reset(second))).toBe('token_invalid')
  })

  test('gets the same response for an email that has no account', async () => {
    const { body: known } = await register(scene)
    const [there, nowhere] = [known.user.email, newEmail()]
    const answers = []
    for (const email of [there, nowhere]) {
      answers.push(await scene.post('/v1/auth/password/forgot', { email }))
    }
    expect(answers.map(({ status }) => status)).toEqual([202, 202])
    expect(answers[0]?.text).toBe(answers[1]?.text)
    const written = await scene.database.query(
      `select email from email_tokens where email = any ($1)`,
      [[there, nowhere]]
    )
    expect(written.map(({ email }) => email).toSorted()).toEqual([there, nowhere].toSorted())
    await waitUntil('the email', async () => (await countEmails(scene, there)) === 2)
    expect(await countEmails(scene, nowhere)).toBe(0)
  })
})

describe('whoami', () => {
  test('describes a session, and an API key of any scope', async () => {
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

test('sets and removes the name of a user', async () => {
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

test('publishes the keys that verify access tokens', async () => {
  const { body } = await scene.get<{ keys: { kid: string }[] }>('/v1/auth/.well-known/jwks.json')
  const [header = ''] = scene.token.split('.')
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }
  expect(body.keys.map((key) => key.kid)).toEqual([kid])
  expect(JSON.stringify(body)).not.toContain('"d"')
})
