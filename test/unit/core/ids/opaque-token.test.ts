/** Tests the format of opaque tokens and their successors. */
import { expect, test } from '@jest/globals'
import {
  createToken,
  successionKeyOf,
  successorOf,
  tokenDigestOf,
  tokenPattern
} from '../../../../core/ids/opaque-token.ts'

const key = successionKeyOf(Buffer.from('a secret'))

test.each(['slr', 'sle', 'slp'] as const)(
  '%s is followed by 43 characters, different each time',
  (kind) => {
    const tokens = Array.from({ length: 100 }, () => createToken(kind))
    expect(new Set(tokens).size).toBe(100)
    for (const token of tokens) expect(token).toMatch(new RegExp(tokenPattern(kind)))
  }
)

test('a digest is SHA-256 of the whole token', () => {
  expect(tokenDigestOf('slr_x').toString('hex')).toBe(
    '498578e7cb811db98c7f5d5cd25afb7f04e85dd658d56bc76cf6d14fa81b47be'
  )
})

test('a successor depends only on the key and the token', () => {
  const token = createToken('slr')
  expect(successorOf(key, token)).toBe(successorOf(successionKeyOf(Buffer.from('a secret')), token))
  expect(successorOf(key, token)).toMatch(new RegExp(tokenPattern('slr')))
  expect(successorOf(key, token)).not.toBe(successorOf(key, createToken('slr')))
})

test('another secret gives another successor', () => {
  const token = createToken('slr')
  const other = successionKeyOf(Buffer.from('another secret'))
  expect(successorOf(other, token)).not.toBe(successorOf(key, token))
})
