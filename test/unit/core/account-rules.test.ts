/** Tests rules for emails and passwords. */
import { describe, expect, test } from '@jest/globals'
import { emailObjection, normalizeEmail, passwordObjection } from '../../../core/account-rules.ts'

describe('normalizeEmail', () => {
  test('normalizes spellings of one address to the same text', () => {
    expect(normalizeEmail('  Ada@Example.COM\n')).toBe('ada@example.com')
  })
})

describe('emailObjection', () => {
  test.each([
    'ada@example.com',
    'ada+agents@mail.example.co.uk',
    'you@sluice.local',
    'root@localhost',
    "o'brien@example.org",
    'grün@müller.de',
    '用户@例子.中国'
  ])('accepts %s', (email) => {
    expect(emailObjection(email)).toBeNull()
  })

  test.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    'ada@@example.com',
    'a b@example.com',
    'ada@example..com',
    'ada@-example.com',
    'ada@example.com\r\nBcc: eve@example.com',
    'ada@example.com,eve@example.com',
    'Ada <ada@example.com>',
    'ada\u0000@example.com',
    'ada\ud800@example.com',
    `${'a'.repeat(65)}@example.com`
  ])('rejects %j', (email) => {
    expect(emailObjection(email)).toMatch(/^must be an email address/)
  })

  test('rejects an overlong email quickly', () => {
    expect(emailObjection(`a@${'a.'.repeat(200_000)}com`)).toBe('must have at most 254 characters')
  })
})

describe('passwordObjection', () => {
  const objection = (password: string): string | null =>
    passwordObjection(password, 'ada@example.com')

  test.each(['correct horse', 'ÄÖÜäöüßẞ', '🦫🦫🦫🦫🦫🦫🦫🦫', 'x'.repeat(200).replace('x', 'y')])(
    'takes %s',
    (password) => {
      expect(objection(password)).toBeNull()
    }
  )

  test.each([
    ['short', 'must have at least 8 characters'],
    ['🦫🦫🦫🦫', 'must have at least 8 characters'],
    ['y'.repeat(201), 'must have at most 200 characters'],
    ['Ada@example.com', 'must not be the email'],
    ['Password123', 'must not be a common password'],
    ['seven\ud800 and more', 'must be valid Unicode']
  ])('rejects %j', (password, expected) => {
    expect(objection(password)).toBe(expected)
  })
})
