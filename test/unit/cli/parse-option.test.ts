/** Tests the parsers of command-line options and their error messages. */
import { expect, test } from '@jest/globals'
import {
  parseCopies,
  parseCount,
  parseDuration,
  parseEnv,
  parseKeyId,
  parseRecordPosition,
  parseMoment,
  parseName,
  parsePartitionOrOffset,
  parsePoints,
  parseScopes
} from '../../../cli/parse-option.ts'
import { createApiKey } from '../../../core/ids/api-key.ts'

test('parses scopes separated by commas and removes duplicates', () => {
  expect(parseScopes('ingest, admin,ingest')).toEqual(['ingest', 'admin'])
  expect(() => parseScopes('ingest,inject')).toThrow(
    'unknown scope "inject"; use one or more of ingest,'
  )
  expect(() => parseScopes('')).toThrow('unknown scope ""')
})

test.each(['0', '-1', '1.5', '1e3', '', 'many', '1000000001'])('rejects the limit %j', (text) => {
  expect(() => parsePoints(text)).toThrow('is not a limit')
})

test('accepts one to nine replicas', () => {
  expect(parseCopies('3')).toBe(3)
  for (const text of ['0', '10', 'x', '']) expect(() => parseCopies(text)).toThrow('1 to 9')
})

test('accepts a whole number as a limit', () => {
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

test.each(['', '5', 'd', '1w', '-1d', '1.5h', '4000d'])('rejects the duration %j', (text) => {
  expect(() => parseDuration(text)).toThrow('is not a duration; use a number with s, m, h or d')
})

test('accepts a key id or a complete API key', () => {
  const { api_key, key_id } = createApiKey('live')
  expect(parseKeyId(key_id)).toBe(key_id)
  expect(parseKeyId(api_key)).toBe(key_id)
  expect(() => parseKeyId('short')).toThrow('not a key id')
})

test('does not repeat an invalid key id, which may be most of a key', () => {
  const { api_key } = createApiKey('live')
  const said = (): string => parseKeyId(`${api_key.slice(0, 20)} ${api_key.slice(20)}`)
  expect(said).toThrow('printed by sluice keys list')
  expect(said).not.toThrow(api_key.slice(20))
})

test('accepts a short name without control characters', () => {
  expect(parseName(' Käufer 🛒 agents ')).toBe('Käufer 🛒 agents')
  for (const text of ['', '  ', 'a\nb', 'a\u001b[2Jb', 'a\u2028b', 'x'.repeat(101)]) {
    expect(() => parseName(text)).toThrow('a name must have 1 to 100 characters')
  }
})

test('accepts a short key environment of a-z and 0-9', () => {
  expect(parseEnv('eu1')).toBe('eu1')
  for (const text of ['', 'Live', 'a_b', 'x'.repeat(17)]) {
    expect(() => parseEnv(text)).toThrow('use 1 to 16 of a-z and 0-9')
  }
})

test('accepts a duration before now, or a time with a time zone', () => {
  const now = Date.UTC(2026, 0, 31, 12)
  expect(parseMoment('90m', now)).toBe(Date.UTC(2026, 0, 31, 10, 30))
  expect(parseMoment('2026-01-31', now)).toBe(Date.UTC(2026, 0, 31))
  expect(parseMoment('2026-01-31T08:00:30.5Z', now)).toBe(Date.UTC(2026, 0, 31, 8, 0, 30, 500))
  expect(parseMoment('2026-01-31T08:00+02:00', now)).toBe(Date.UTC(2026, 0, 31, 6))
  for (const text of ['', '1w', '2026-13-01', '2026-01-31T08:00', 'yesterday', '1769860800000']) {
    expect(() => parseMoment(text, now)).toThrow('is not a time; use a duration before now')
  }
})

test('accepts counts from 1, and partitions and offsets from 0', () => {
  expect([parseCount('1'), parsePartitionOrOffset('0')]).toEqual([1, 0])
  for (const text of ['0', '-1', '1e3', ''])
    expect(() => parseCount(text)).toThrow('is not a count')
  for (const text of ['-1', '1.5', ''])
    expect(() => parsePartitionOrOffset(text)).toThrow('is not a partition or offset')
})

test('accepts a record position as partition/offset', () => {
  expect(parseRecordPosition('3/17')).toEqual({ partition: 3, offset: 17 })
  for (const text of ['3', '3/', '/17', '3/17/1', '-1/0', '3:17']) {
    expect(() => parseRecordPosition(text)).toThrow('such as 3/17')
  }
})
