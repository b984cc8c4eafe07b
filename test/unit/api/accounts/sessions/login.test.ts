/** Logging in: one answer for all that is wrong, and the same work behind it. */
import { expect, test } from '@jest/globals'
import { createLogin } from '../../../../../api/accounts/sessions/login.ts'
import { createPasswords } from '../../../../../api/accounts/passwords/passwords.ts'
import type { Attempt } from '../../../../../api/accounts/throttle.ts'
import { createStore } from '../../../../../api/store.ts'
import { PasswordsBusyError } from '../../../../../platform/security/password.ts'
import { checkedCallOf, FakeStore, organizationId, person, problemOf } from '../../fakes.ts'

function createScene() {
  const store = new FakeStore()
  const { user_id } = person
  store.rows['users'] = [
    { user_id, email: 'ada@example.com', password_hash: 'hash of right' },
    // As the transaction finds it again: the store finds rows by their email.
    { user_id, email: user_id, password_hash: 'hash of right' }
  ]
  store.rows['memberships'] = [
    { user_id, email: user_id, role: 'owner', organization_id: organizationId }
  ]
  const attempts: Attempt[] = []
  const succeeded: Attempt[] = []
  const verified: (string | null)[] = []
  const scene = { store, attempts, succeeded, verified, isBusy: false }
  const login = createLogin({
    accounts: createStore(store).accounts,
    throttle: {
      attempt: async (attempt) => void attempts.push(attempt),
      succeeded: (attempt) => void succeeded.push(attempt)
    },
    passwords: createPasswords({
      verifyPassword: async (hash, password) => {
        if (scene.isBusy) throw new PasswordsBusyError('busy')
        verified.push(hash)
        return hash === `hash of ${password}`
      },
      hashPassword: async (password) => `hash of ${password}`
    }),
    beginSession: async () => ({ session_id: person.session_id, refresh_token: 'slr_x' }),
    answerSession: (answer) => ({ status: 200, headers: {}, body: JSON.stringify(answer) })
  })
  const logIn = (email: string, password: string) =>
    login(checkedCallOf(null, { body: { email, password } }))
  return Object.assign(scene, { logIn, login })
}

const attempt = { email: 'ada@example.com', remoteAddress: '192.0.2.1' }

test('begins a session for the right password, however the email is typed', async () => {
  const { logIn, attempts, succeeded } = createScene()
  const reply = await logIn('  Ada@Example.COM ', 'right')
  const { user_id, organization_id, role, session_id } = person
  expect(JSON.parse(reply.body)).toEqual({
    status: 200,
    claims: expect.objectContaining({ user_id, organization_id, role, session_id }),
    refresh_token: 'slr_x',
    isCookie: false
  })
  expect(attempts).toEqual([attempt])
  expect(succeeded).toEqual([attempt])
})

test('a wrong password and an unknown email get one answer after one check each', async () => {
  const { logIn, verified, succeeded, store } = createScene()
  const wrong = await problemOf(logIn('ada@example.com', 'wrong'))
  const afterWrong = store.asked.length
  const unknown = await problemOf(logIn('eve@example.com', 'right'))
  expect(wrong.code).toBe('login_failed')
  expect(unknown.code).toBe('login_failed')
  expect(unknown.options).toEqual(wrong.options)
  expect(wrong.options.headers).toEqual({ 'www-authenticate': 'Bearer realm="sluice"' })
  expect(verified).toEqual(['hash of right', null])
  expect(store.asked.length).toBe(2 * afterWrong)
  expect(succeeded).toEqual([])
})

test('a password that was changed meanwhile begins no session', async () => {
  const { logIn, store } = createScene()
  store.rows['users'] = store.rows['users']?.slice(0, 1) ?? []
  expect((await problemOf(logIn('ada@example.com', 'right'))).code).toBe('login_failed')
})

test('who belongs to no organization is told so, after the password only', async () => {
  const { logIn, store } = createScene()
  store.rows['memberships'] = []
  expect((await problemOf(logIn('ada@example.com', 'wrong'))).code).toBe('login_failed')
  const problem = await problemOf(logIn('ada@example.com', 'right'))
  expect(problem.code).toBe('organization_not_found')
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
