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

test('strangers have half of the line, and those who were here before have all of it', async () => {
  const attempts = (times: number, caller: 'stranger' | 'known') =>
    Array.from({ length: times }, () => verifyPassword(null, password, caller))
  const strangers = attempts(40, 'stranger')
  const known = attempts(40, 'known')
  const [refusedStrangers, refusedKnown] = await Promise.all([refused(strangers), refused(known)])
  // One or two are hashed at a time, and 32 more wait.
  expect([6, 7]).toContain(refusedStrangers)
  expect(refusedKnown).toBe(8)
  expect(await verifyPassword(await hashPassword(password), password)).toBe(true)
})

async function refused(attempts: readonly Promise<boolean>[]): Promise<number> {
  const outcomes = await Promise.allSettled(attempts)
  const rejected = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(rejected.every(({ reason }) => reason instanceof PasswordsBusyError)).toBe(true)
  return rejected.length
}
