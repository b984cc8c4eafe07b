/** Tests that the doctor checks the format of API keys as the gateway does. */
import { describe, expect, test } from '@jest/globals'
import { createApiKey, parseApiKey } from '../../../../../../core/ids/api-key.ts'
import { findKeyFlaw, maskKey } from '../../../../../../sdk/typescript/src/doctor/key-format.ts'

const keys = Array.from({ length: 50 }, () => createApiKey('live').api_key)

test('accepts a key created by the gateway', () => {
  expect(keys.map(findKeyFlaw)).toEqual(keys.map(() => null))
})

describe.each(keys.slice(0, 3))('detects an incorrect copy', (key) => {
  const swapped = key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
  test.each([
    ['cut', key.slice(0, -1), /its 59 characters do not match/],
    ['with a space', ` ${key}`, /its 61 characters/],
    ['of another kind', 'sk-1234', /its 7 characters/],
    ['with a wrong character', swapped, /checksum does not match/]
  ])('%s', (_, copy, flaw) => {
    expect(parseApiKey(copy)).toBeNull()
    expect(findKeyFlaw(copy)).toMatch(flaw)
  })
})

test('shows only the prefix of a key', () => {
  expect(keys.map(maskKey)).toEqual(keys.map(() => 'slk_live_…'))
  expect(maskKey('my secret')).toBe('…')
})
