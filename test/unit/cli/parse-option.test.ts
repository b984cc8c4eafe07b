/** What the options of the command line take, and what they say of anything else. */
import { expect, test } from '@jest/globals'
import {
  parseCopies,
  parseCount,
  parseDuration,
  parseEnv,
  parseKeyId,
  parseLetterPlace,
  parseMoment,
  parseName,
  parsePlace,
  parsePoints,
  parseScopes
} from '../../../cli/parse-option.ts'
import { createApiKey } from '../../../core/ids/api-key.ts'

test('scopes are names between commas, each once', () => {
  expect(parseScopes('ingest, admin,ingest')).toEqual(['ingest', 'admin'])
  expect(() => parseScopes('ingest,inject')).toThrow('no scope "inject"; there are ingest,')
  expect(() => parseScopes('')).toThrow('no scope ""')
})

test.each(['0', '-1', '1.5', '1e3', '', 'many', '1000000001'])('%j is no limit', (text) => {
  expect(() => parsePoints(text)).toThrow('is no limit')
})

test('copies are one to nine', () => {
  expect(parseCopies('3')).toBe(3)
  for (const text of ['0', '10', 'x', '']) expect(() => parseCopies(text)).toThrow('1 to 9')
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

test('what is no id of a key is not repeated: it may be most of a key', () => {
  const { api_key } = createApiKey('live')
  const said = (): string => parseKeyId(`${api_key.slice(0, 20)} ${api_key.slice(20)}`)
  expect(said).toThrow('sluice keys list shows it')
  expect(said).not.toThrow(api_key.slice(20))
})

test('a name is short and plain', () => {
  expect(parseName(' Käufer 🛒 agents ')).toBe('Käufer 🛒 agents')
  for (const text of ['', '  ', 'a\nb', 'a\u001b[2Jb', 'a\u2028b', 'x'.repeat(101)]) {
    expect(() => parseName(text)).toThrow('give a name of 1 to 100 characters')
  }
})

test('an environment is short and plain', () => {
  expect(parseEnv('eu1')).toBe('eu1')
  for (const text of ['', 'Live', 'a_b', 'x'.repeat(17)]) {
    expect(() => parseEnv(text)).toThrow('give 1 to 16 of a-z and 0-9')
  }
})

test('a moment is so long ago, or a time with its zone', () => {
  const now = Date.UTC(2026, 0, 31, 12)
  expect(parseMoment('90m', now)).toBe(Date.UTC(2026, 0, 31, 10, 30))
  expect(parseMoment('2026-01-31', now)).toBe(Date.UTC(2026, 0, 31))
  expect(parseMoment('2026-01-31T08:00:30.5Z', now)).toBe(Date.UTC(2026, 0, 31, 8, 0, 30, 500))
  expect(parseMoment('2026-01-31T08:00+02:00', now)).toBe(Date.UTC(2026, 0, 31, 6))
  for (const text of ['', '1w', '2026-13-01', '2026-01-31T08:00', 'yesterday', '1769860800000']) {
    expect(() => parseMoment(text, now)).toThrow('is no time; give how long ago')
  }
})

test('counts begin with one, places with zero', () => {
  expect([parseCount('1'), parsePlace('0')]).toEqual([1, 0])
  for (const text of ['0', '-1', '1e3', '']) expect(() => parseCount(text)).toThrow('is no number')
  for (const text of ['-1', '1.5', '']) expect(() => parsePlace(text)).toThrow('is none')
})

test('a letter lies at partition and offset', () => {
  expect(parseLetterPlace('3/17')).toEqual({ partition: 3, offset: 17 })
  for (const text of ['3', '3/', '/17', '3/17/1', '-1/0', '3:17']) {
    expect(() => parseLetterPlace(text)).toThrow('such as 3/17')
  }
})
