/** Tests the API key cache, which stores known and missing keys separately. */
import { expect, test } from '@jest/globals'
import { createKeyCache } from '../../../auth/key-cache.ts'
import type { ApiKeyRow } from '../../../auth/select-api-keys.ts'

const row = { revoked_at: null } as ApiKeyRow

test('a key is known or missing, according to the last read', () => {
  const cache = createKeyCache()
  cache.keep('a', { row: null, readAt: 0 })
  expect([cache.get('a'), cache.isMissing('a', 999), cache.isMissing('a', 1000)]).toEqual([
    undefined,
    true,
    false
  ])
  cache.keep('a', { row, readAt: 10 })
  expect(cache.get('a')).toEqual({ row, readAt: 10, lookUpAfter: 3010 })
  expect(cache.isMissing('a', 10)).toBe(false)
})

test('an outdated entry is not fresh, but its key still counts as known', () => {
  const cache = createKeyCache()
  cache.keep('a', { row, readAt: 10 })
  cache.keep('b', { row: null, readAt: 10 })
  for (const keyId of ['a', 'b', 'c']) cache.outdate(keyId)
  expect(cache.get('a')).toEqual({ row, readAt: -Infinity, lookUpAfter: -Infinity })
  expect(cache.isMissing('b', 10)).toBe(false)
  expect(cache.get('c')).toBeUndefined()
})
