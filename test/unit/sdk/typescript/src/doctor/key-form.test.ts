/** The doctor judges keys as the gateway does. */
import { describe, expect, test } from '@jest/globals'
import { createApiKey, parseApiKey } from '../../../../../../core/ids/api-key.ts'
import { keyFlawOf, keyShown } from '../../../../../../sdk/typescript/src/doctor/key-form.ts'

const keys = Array.from({ length: 50 }, () => createApiKey('live').api_key)

test('a key that the gateway makes is right', () => {
  expect(keys.map(keyFlawOf)).toEqual(keys.map(() => null))
})

describe.each(keys.slice(0, 3))('what is wrong with a copy', (key) => {
  const swapped = key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
  test.each([
    ['cut', key.slice(0, -1), /it has 59 characters and not the form/],
    ['with a space', ` ${key}`, /it has 61 characters/],
    ['of another thing', 'sk-1234', /it has 7 characters/],
    ['with a wrong character', swapped, /checksum is wrong/]
  ])('%s', (_, copy, flaw) => {
    expect(parseApiKey(copy)).toBeNull()
    expect(keyFlawOf(copy)).toMatch(flaw)
  })
})

test('nothing of a key is shown but its kind', () => {
  expect(keys.map(keyShown)).toEqual(keys.map(() => 'slk_live_…'))
  expect(keyShown('my secret')).toBe('…')
})
