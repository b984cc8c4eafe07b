/** Tests passwords: verification, equal cost for unknown accounts, and the bounded queue. */
import { expect, test } from '@jest/globals'
import {
  hashPassword,
  PasswordsBusyError,
  verifyPassword
} from '../../../../platform/security/password.ts'

const password = 'correct horse battery staple'

test('a hash is argon2id with the chosen parameters and its own salt', async () => {
  const [first, second] = await Promise.all([hashPassword(password), hashPassword(password)])
  expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(first).not.toBe(second)
})

test('accepts the right password and no other', async () => {
  const hash = await hashPassword(password)
  expect(await verifyPassword(hash, password)).toBe(true)
  expect(await verifyPassword(hash, `${password} `)).toBe(false)
  expect(await verifyPassword(hash, '')).toBe(false)
})

test('distinguishes unusual characters', async () => {
  const hash = await hashPassword('пароль\u0000🔑')
  expect(await verifyPassword(hash, 'пароль\u0000🔑')).toBe(true)
  expect(await verifyPassword(hash, 'пароль')).toBe(false)
})

test('rejects an unknown account by a real check of a well-formed hash', async () => {
  expect(await verifyPassword(null, password)).toBe(false)
  expect(await verifyPassword(null, '')).toBe(false)
})

test('unknown callers may use half of the queue, known callers all of it', async () => {
  const attempts = (times: number, caller: 'unknown' | 'known') =>
    Array.from({ length: times }, () => verifyPassword(null, password, caller))
  const strangers = attempts(40, 'unknown')
  const known = attempts(40, 'known')
  const [refusedStrangers, refusedKnown] = await Promise.all([refused(strangers), refused(known)])
  // One or two passwords are hashed concurrently. Up to 64 wait, at most 32 of them for unknown
  // callers.
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
