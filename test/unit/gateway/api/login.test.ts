/** Logging in: one answer for all that is wrong, and the same work behind it. */
import { expect, test } from '@jest/globals'
import { createLogin } from '../../../../gateway/api/login.ts'
import type { LoginAttempt } from '../../../../gateway/api/login-throttle.ts'
import { createStore } from '../../../../gateway/api/store.ts'
import { PasswordsBusyError } from '../../../../platform/password.ts'
import { checkedCallOf, FakeStore, organizationId, person, problemOf } from './fakes.ts'

function createScene() {
  const store = new FakeStore()
  store.rows['users'] = [
    {
      user_id: person.user_id,
      organization_id: organizationId,
      role: 'owner',
      email: 'ada@example.com',
      password_hash: 'hash of right'
    }
  ]
  const attempts: LoginAttempt[] = []
  const verified: (string | null)[] = []
  const scene = { store, attempts, verified, isBusy: false }
  const login = createLogin({
    accounts: createStore(store).accounts,
    throttleLogin: async (attempt) => void attempts.push(attempt),
    verifyPassword: async (hash, password) => {
      if (scene.isBusy) throw new PasswordsBusyError('busy')
      verified.push(hash)
      return hash === `hash of ${password}`
    },
    sessionTokens: { sign: (claims) => `token of ${JSON.stringify(claims)}` }
  })
  const logIn = (email: string, password: string) =>
    login(checkedCallOf(null, { body: { email, password } }))
  return Object.assign(scene, { logIn })
}

test('answers a token for the right password, however the email is typed', async () => {
  const { logIn, attempts } = createScene()
  const reply = await logIn('  Ada@Example.COM ', 'right')
  const { user_id, organization_id, role } = person
  expect(reply.status).toBe(200)
  expect(JSON.parse(reply.body)).toEqual({
    access_token: `token of ${JSON.stringify({ user_id, organization_id, role })}`,
    token_type: 'Bearer',
    expires_in: 900,
    organization_id
  })
  expect(attempts).toEqual([{ email: 'ada@example.com', remoteAddress: '192.0.2.1' }])
})

test('a wrong password and an unknown email get one answer after one check each', async () => {
  const { logIn, verified } = createScene()
  const wrong = await problemOf(logIn('ada@example.com', 'wrong'))
  const unknown = await problemOf(logIn('eve@example.com', 'right'))
  expect(wrong.code).toBe('login_failed')
  expect(unknown.code).toBe('login_failed')
  expect(unknown.options).toEqual(wrong.options)
  expect(wrong.options.headers).toEqual({ 'www-authenticate': 'Bearer realm="sluice"' })
  expect(verified).toEqual(['hash of right', null])
})

test('nothing is looked up for who is throttled', async () => {
  const { store } = createScene()
  const login = createLogin({
    accounts: store,
    throttleLogin: () => Promise.reject(new Error('throttled')),
    verifyPassword: async () => true,
    sessionTokens: { sign: () => '' }
  })
  const call = checkedCallOf(null, { body: { email: 'ada@example.com', password: 'right' } })
  await expect(login(call)).rejects.toThrow('throttled')
  expect(store.asked).toEqual([])
})

test('too many log-ins at once, or the store away, is 503 and to be tried again', async () => {
  const scene = createScene()
  scene.isBusy = true
  const busy = await problemOf(scene.logIn('ada@example.com', 'right'))
  expect([busy.code, busy.options.headers]).toEqual(['overloaded', { 'retry-after': '2' }])
  scene.store.failure = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  const away = await problemOf(scene.logIn('ada@example.com', 'right'))
  expect([away.code, away.options.headers]).toEqual(['store_unavailable', { 'retry-after': '2' }])
})
