/** Keys that exist and keys that do not are kept apart. */
import { expect, test } from '@jest/globals'
import { createKeyCache } from '../../../../gateway/authentication/key-cache.ts'
import type { ApiKeyRow } from '../../../../gateway/authentication/select-api-key.ts'

const row = { revoked_at: null } as ApiKeyRow

test('a key is known or missing, whatever was read last', () => {
  const cache = createKeyCache()
  cache.keep('a', { row: null, readAt: 0 })
  expect([cache.known('a'), cache.isMissing('a', 999), cache.isMissing('a', 1000)]).toEqual([
    undefined,
    true,
    false
  ])
  cache.keep('a', { row, readAt: 10 })
  expect(cache.known('a')).toEqual({ row, readAt: 10, lookUpAfter: 3010 })
  expect(cache.isMissing('a', 10)).toBe(false)
  cache.forget('a')
  expect(cache.known('a')).toBeUndefined()
})
