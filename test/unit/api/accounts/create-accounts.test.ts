/** Calls that need no credential run a few at a time for each network. */
import { expect, test } from '@jest/globals'
import type { AccountHandlers } from '../../../../api/accounts/account-rows.ts'
import { shareOpenCalls } from '../../../../api/accounts/create-accounts.ts'
import { jsonReply } from '../../../../http/call.ts'
import { checkedCallOf } from '../fakes.ts'

const calls = ['login', 'refresh', 'register', 'confirmRegistration'] as const
const more = ['forgotPassword', 'resetPassword', 'verifyEmail'] as const

test('a storm from one network leaves its place to all others', async () => {
  const begun: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = (name: string) => async (call: { remote_address: string }) => {
    begun.push(`${name} ${call.remote_address}`)
    if (call.remote_address === '192.0.2.1') await promise
    return jsonReply(200, '{}')
  }
  const names = [...calls, ...more]
  const handlers = Object.fromEntries(names.map((name) => [name, slow(name)]))
  const shared = shareOpenCalls(handlers as unknown as AccountHandlers)
  const from = (remote_address: string) => checkedCallOf(null, { remote_address })

  const storm = names.map((name) => shared[name](from('192.0.2.1')))
  expect((await shared.login(from('192.0.2.2'))).status).toBe(200)
  expect(begun).toEqual(['login 192.0.2.1', 'refresh 192.0.2.1', 'login 192.0.2.2'])
  resolve()
  await Promise.all(storm)
  expect(begun).toHaveLength(1 + names.length)
})
