/** Tests the format and checksum of API keys, and the digest that is stored. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  createApiKey,
  isSameDigest,
  parseApiKey,
  secretDigestOf
} from '../../../../core/ids/api-key.ts'

const key_id = '0123456789AB'
const secret = '0123456789abcdefghijABCDEFGHIJ01'
/** Another program computed the checksum of this key. */
const knownKey = `slk_local_${key_id}_${secret}3xujtf`
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('createApiKey', () => {
  test('makes keys of the documented shape, which parse back to their parts', () => {
    for (let made = 0; made < 200; made++) {
      const key = createApiKey('live')
      expect(key.api_key).toMatch(/^slk_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/)
      expect(parseApiKey(key.api_key)).toEqual({ key_id: key.key_id, secret: key.secret })
    }
  })

  test('makes a different key each time', () => {
    const keys = Array.from({ length: 500 }, () => createApiKey('live'))
    expect(new Set(keys.map((key) => key.key_id)).size).toBe(500)
    expect(new Set(keys.map((key) => key.secret)).size).toBe(500)
  })

  test('uses every character of the alphabet, and no other', () => {
    const drawn = Array.from({ length: 200 }, () => createApiKey('live').secret).join('')
    expect([...new Set(drawn)].sort().join('')).toBe(base62)
  })
})

describe('parseApiKey', () => {
  test('accepts a key whose checksum another program computed', () => {
    expect(parseApiKey(knownKey)).toEqual({ key_id, secret })
  })

  test('rejects a key with any one character changed', () => {
    const characters = [...base62, '_', '-', ' ', 'é']
    for (let at = 0; at < knownKey.length; at++) {
      for (const character of characters) {
        if (character === knownKey[at]) continue
        const changed = knownKey.slice(0, at) + character + knownKey.slice(at + 1)
        expect([changed, parseApiKey(changed)]).toEqual([changed, null])
      }
    }
  })

  test('rejects a key with two adjacent characters swapped', () => {
    for (let at = 0; at + 1 < knownKey.length; at++) {
      const [left = '', right = ''] = knownKey.slice(at, at + 2)
      const swapped = knownKey.slice(0, at) + right + left + knownKey.slice(at + 2)
      if (swapped !== knownKey) expect([swapped, parseApiKey(swapped)]).toEqual([swapped, null])
    }
  })

  test.each([
    ['nothing', ''],
    ['a prefix alone', 'slk_local_'],
    ['a truncated key', knownKey.slice(0, -1)],
    ['a key followed by text', `${knownKey}0`],
    ['a key followed by a line break', `${knownKey}\n`],
    ['a key with a space before it', ` ${knownKey}`],
    ['the key of another product', knownKey.replace('slk', 'sk')],
    ['an environment in upper case', knownKey.replace('local', 'LOCAL')],
    ['no environment', knownKey.replace('local', '')],
    ['a very long text', 'slk_'.repeat(100_000)]
  ])('rejects %s', (_, text) => {
    expect(parseApiKey(text)).toBeNull()
  })

  test('rejects arbitrary texts', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => parseApiKey(text) === null))
  })
})

describe('digests', () => {
  test('are HMAC-SHA-256 with the pepper as key', () => {
    expect(secretDigestOf('pepper', 'secret').toString('hex')).toBe(
      '804e6d854739162fdea0d455b3aafe67f40d2919406186a27be601596ac6d306'
    )
  })

  test('are equal only for the same secret and pepper', () => {
    const digest = secretDigestOf('pepper', secret)
    expect(isSameDigest(digest, secretDigestOf('pepper', secret))).toBe(true)
    expect(isSameDigest(digest, secretDigestOf('pepper', `${secret}0`))).toBe(false)
    expect(isSameDigest(digest, secretDigestOf('other', secret))).toBe(false)
  })

  test('of different lengths are unequal without an error', () => {
    expect(isSameDigest(Buffer.alloc(32), Buffer.alloc(31))).toBe(false)
    expect(isSameDigest(Buffer.alloc(0), Buffer.alloc(32))).toBe(false)
  })
})
