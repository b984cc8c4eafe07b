/** Tests the steps of a login, which are the same for known and unknown emails;
 * test/integration/api/login.test.ts tests logins over HTTP.
 */
import { expect, test } from '@jest/globals'
import { login } from '../../../../api/accounts/login.ts'
import { createPasswords } from '../../../../api/accounts/passwords.ts'
import { Problem } from '../../../../core/problem.ts'
import type { AccountStore } from '../../../../api/store.ts'
import { PasswordsBusyError } from '../../../../platform/security/password.ts'
import { callOf, person, problemOf, servicesOf } from '../fakes.ts'

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
  // The transaction locks the account by id and password hash. The fake finds no account, as if the
  // password had changed.
  const accounts = { query, change: (work) => work({ query }) } as AccountStore
  const services = servicesOf({
    store: { accounts },
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
    clock: {
      now: () => {
        throw new Error('no session may begin')
      }
    }
  })
  const logIn = (email: string, password: string) =>
    problemOf(login({ ...callOf(), body: { email, password } }, services))
  return Object.assign(scene, { logIn })
}

test('takes the same query and check for an unknown email as for a wrong password', async () => {
  const scene = createScene()
  const wrong = await scene.logIn(known, 'wrong')
  const queries = scene.queries
  const unknown = await scene.logIn('eve@example.com', 'right')
  expect([wrong.code, unknown.code]).toEqual(['login_failed', 'login_failed'])
  expect(unknown.options).toEqual(wrong.options)
  expect(scene.verified).toEqual(['hash of right', null])
  expect(scene.callers).toEqual(['known', 'unknown'])
  expect(scene.queries).toBe(2 * queries)
  expect(scene.succeeded).toEqual([])
})

test('begins no session if the password was changed in the meantime', async () => {
  expect((await createScene().logIn(known, 'right')).code).toBe('login_failed')
})

test('rejects a right password over the login limit, and a wrong one as before', async () => {
  const scene = createScene()
  scene.isThrottled = true
  expect((await scene.logIn(known, 'wrong')).code).toBe('login_failed')
  const queries = scene.queries
  expect((await scene.logIn(known, 'right')).code).toBe('login_throttled')
  // A throttled login does not begin a transaction.
  expect(scene.queries).toBe(2 * queries)
})

test('rejects too many concurrent logins with 503 and Retry-After', async () => {
  const scene = createScene()
  scene.isBusy = true
  const { code, options } = await scene.logIn(known, 'right')
  expect([code, options.headers]).toEqual(['overloaded', { 'retry-after': '2' }])
})
