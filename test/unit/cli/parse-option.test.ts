/** What the options of the command line take, and what they say of anything else. */
import { expect, test } from '@jest/globals'
import { parseDuration, parseKeyId, parsePoints, parseScopes } from '../../../cli/parse-option.ts'
import { createApiKey } from '../../../core/api-key.ts'

test('scopes are names between commas, each once', () => {
  expect(parseScopes('ingest, admin,ingest')).toEqual(['ingest', 'admin'])
  expect(() => parseScopes('ingest,inject')).toThrow('no scope "inject"; there are ingest,')
  expect(() => parseScopes('')).toThrow('no scope ""')
})

test.each(['0', '-1', '1.5', '1e3', '', 'many', '1000000001'])('%j is no limit', (text) => {
  expect(() => parsePoints(text)).toThrow('is no limit')
})

test('a limit is a whole number', () => {
  expect(parsePoints('1000000000')).toBe(1e9)
})

test.each([
  ['0s', 0],
  ['90s', 90_000],
  ['15m', 900_000],
  ['24h', 86_400_000],
  ['90d', 7_776_000_000]
])('%s are %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each(['', '5', 'd', '1w', '-1d', '1.5h', '4000d'])('%j is no duration', (text) => {
  expect(() => parseDuration(text)).toThrow('is no duration; give a number and s, m, h or d')
})

test('a key is named by its id, and a whole key by itself', () => {
  const { api_key, key_id } = createApiKey('live')
  expect(parseKeyId(key_id)).toBe(key_id)
  expect(parseKeyId(api_key)).toBe(key_id)
  expect(() => parseKeyId('short')).toThrow('that is no id of a key')
})
