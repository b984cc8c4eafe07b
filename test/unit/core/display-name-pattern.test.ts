/** Tests the pattern for display names, and that matching takes linear time. */
import { expect, test } from '@jest/globals'
import { displayNamePattern } from '../../../core/display-name-pattern.ts'
import { createCheck } from '../../../platform/validation/json-schema.ts'

const check = createCheck({ type: 'string', pattern: displayNamePattern })

test.each([
  'Acme Agents',
  'Node.js, Inc.',
  'Ünïcode 株式会社',
  'Countess 🔑',
  "o'Hara & Söhne: #1"
])('accepts %j', (name) => expect(check(name)).toEqual([]))

test.each([
  ...['https://evil.example', 'see http://a', 'www.evil.example', 'Our WwW.site'],
  ...['a\nb', 'a\r\nBcc: eve', 'a\u0000', 'a\u001bb', 'a\u007f', 'a\u0085', 'a\u2028b'],
  ...['a\u202eb', 'a\u2066b', 'a\u200fb', 'a\u061cb'],
  ...['a\u200bb', 'a\u200db', 'a\ufeffb', 'a\u2060b', 'a\u00adb', '\ud800', 'a\udc00']
])('rejects %j', (name) => {
  expect(check(name)).toEqual([
    { pointer: '', detail: 'must not contain links, control characters or invisible characters' }
  ])
})
