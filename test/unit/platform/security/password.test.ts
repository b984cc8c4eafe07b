/** Passwords: right ones pass, unknown accounts cost the same, and the waiting is bounded. */
import { expect, test } from '@jest/globals'
import {
  hashPassword,
  PasswordsBusyError,
  verifyPassword
} from '../../../../platform/security/password.ts'

const password = 'correct horse battery staple'

test('a hash is argon2id with the parameters we chose and a salt of its own', async () => {
  const [first, second] = await Promise.all([hashPassword(password), hashPassword(password)])
  expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(first).not.toBe(second)
})

test('takes the right password and no other', async () => {
  const hash = await hashPassword(password)
  expect(await verifyPassword(hash, password)).toBe(true)
  expect(await verifyPassword(hash, `${password} `)).toBe(false)
  expect(await verifyPassword(hash, '')).toBe(false)
})

test('keeps strange characters apart', async () => {
  const hash = await hashPassword('пароль\u0000🔑')
  expect(await verifyPassword(hash, 'пароль\u0000🔑')).toBe(true)
  expect(await verifyPassword(hash, 'пароль')).toBe(false)
})

test('an unknown account is refused by a real check of a well-formed hash', async () => {
  expect(await verifyPassword(null, password)).toBe(false)
  expect(await verifyPassword(null, '')).toBe(false)
})

test('refuses at once when too many wait, and works on afterwards', async () => {
  const attempts = Array.from({ length: 80 }, () => verifyPassword(null, password))
  const outcomes = await Promise.allSettled(attempts)
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused.every(({ reason }) => reason instanceof PasswordsBusyError)).toBe(true)
  // Those that wait, and one or two that are hashed.
  expect([14, 15]).toContain(refused.length)
  expect(await verifyPassword(await hashPassword(password), password)).toBe(true)
})
