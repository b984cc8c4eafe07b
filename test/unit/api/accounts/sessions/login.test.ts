/** The cost of a login attempt; test/integration/api/login.test.ts covers the rest. */
import { expect, test } from '@jest/globals'
import { createLogin } from '../../../../../api/accounts/sessions/login.ts'
import { createPasswords } from '../../../../../api/accounts/passwords/passwords.ts'
import { Problem } from '../../../../../core/problem.ts'
import type { AccountStore } from '../../../../../api/store.ts'
import { PasswordsBusyError } from '../../../../../platform/security/password.ts'
import { checkedCallOf, person, problemOf } from '../../fakes.ts'

const known = 'ada@example.com'

function createScene() {
  const verified: (string | null)[] = []
  const callers: (string | undefined)[] = []
  const succeeded: unknown[] = []
  const scene = { verified, callers, succeeded, queries: 0, isBusy: false, isThrottled: false }
  const account = { user_id: person.user_id, password_hash: 'hash of right' }
  const query: AccountStore['query'] = async <R>(_: string, values: readonly unknown[] = []) => {
    scene.queries += 1
    return (values.includes(known) ? [account] : []) as R[]
  }
  // The transaction no longer finds the account with this password.
  const accounts = { query, change: (work) => work({ query }) } as AccountStore
  const login = createLogin({
    accounts,
    isKnownNetwork: async (email) => email === known,
    throttle: {
      attempt: async (attempt, check) => {
        const checked = await check()
        if (checked !== null) succeeded.push(attempt)
        return checked
      },
      login: async () => {
        if (scene.isThrottled) throw new Problem('login_throttled', { detail: 'later' })
      }
    },
    passwords: createPasswords({
      verifyPassword: async (hash, password, caller) => {
        if (scene.isBusy) throw new PasswordsBusyError('busy')
        callers.push(caller)
        verified.push(hash)
        return hash === `hash of ${password}`
      },
      hashPassword: async (password) => `hash of ${password}`
    }),
    beginSession: () => Promise.reject(new Error('no session is to begin')),
    answerSession: () => ({ status: 200, headers: {}, body: '' })
  })
  const logIn = (email: string, password: string) =>
    problemOf(login(checkedCallOf(null, { body: { email, password } })))
  return Object.assign(scene, { logIn })
}

test('an unknown email costs the same query and the same check as a wrong password', async () => {
  const scene = createScene()
  const wrong = await scene.logIn(known, 'wrong')
  const queries = scene.queries
  const unknown = await scene.logIn('eve@example.com', 'right')
  expect([wrong.code, unknown.code]).toEqual(['login_failed', 'login_failed'])
  expect(unknown.options).toEqual(wrong.options)
  expect(scene.verified).toEqual(['hash of right', null])
  expect(scene.callers).toEqual(['known', 'stranger'])
  expect(scene.queries).toBe(2 * queries)
  expect(scene.succeeded).toEqual([])
})

test('a password that was changed meanwhile begins no session', async () => {
  expect((await createScene().logIn(known, 'right')).code).toBe('login_failed')
})

test('rejects a right password beyond the limit of logins, and a wrong one as before', async () => {
  const scene = createScene()
  scene.isThrottled = true
  expect((await scene.logIn(known, 'wrong')).code).toBe('login_failed')
  const queries = scene.queries
  expect((await scene.logIn(known, 'right')).code).toBe('login_throttled')
  // No transaction begins.
  expect(scene.queries).toBe(2 * queries)
})

test('rejects too many concurrent logins with 503 and Retry-After', async () => {
  const scene = createScene()
  scene.isBusy = true
  const { code, options } = await scene.logIn(known, 'right')
  expect([code, options.headers]).toEqual(['overloaded', { 'retry-after': '2' }])
})
