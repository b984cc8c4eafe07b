/** Tests that the parser agrees with JSON.parse, except that it always decodes escaped names
 * correctly and can keep exact numbers.
 */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Decimal } from '../../../../evaluators/text/decimal.ts'
import { hasEscapedName, jsonValueOf } from '../../../../evaluators/text/json-value.ts'
import { memberTextOf, plainTextOf } from '../../../../evaluators/text/member-text.ts'

/** Escapes every character of every string, so that `jsonValueOf` does not use JSON.parse. */
function escaped(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"/g, (literal) => {
    const text = JSON.parse(literal) as string
    const codes = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
    return `"${codes.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('')}"`
  })
}

test('parses any value, plain or escaped, with or without whitespace', () => {
  const values = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' })
  fc.assert(
    fc.property(values, (value) => {
      const json = JSON.stringify(value)
      const spaced = JSON.stringify(value, null, 2)
      expect(JSON.stringify(jsonValueOf(escaped(json)))).toBe(json)
      expect(JSON.stringify(jsonValueOf(escaped(spaced)))).toBe(json)
    })
  )
})

test.each([
  [
    'two with a common prefix',
    String.raw`{"agent_i\u0064":1,"agent_i\u0065":2}`,
    { agent_id: 1, agent_ie: 2 }
  ],
  ['within a list', String.raw`[{"a":0},{"\n":1,"\t":2}]`, [{ a: 0 }, { '\n': 1, '\t': 2 }]],
  ['the last of duplicates', String.raw`{"\u0061":1,"a":2}`, { a: 2 }]
])('decodes escaped names: %s', (_, json, value) => {
  expect(hasEscapedName(json)).toBe(true)
  expect(jsonValueOf(json)).toEqual(value)
})

test('treats names of Object.prototype like any other', () => {
  const value = jsonValueOf(String.raw`{"__proto_\u005f":{"a":1}}`)
  expect(Object.keys(value as object)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
})

test.each(['"\\""', '["a\\nb", "c:\\\\"]', '{"a":"\\":"}'])(
  'finds no escaped name in %s',
  (json) => {
    expect(hasEscapedName(json)).toBe(false)
  }
)

test('returns undefined if the nesting is too deep', () => {
  expect(jsonValueOf('['.repeat(64) + ']'.repeat(64))).toHaveLength(1)
  expect(jsonValueOf('['.repeat(65) + ']'.repeat(65))).toBeUndefined()
})

describe('keeps exact numbers', () => {
  test.each([
    ['12345678901234567890', '1234567890123456789e1'],
    ['-0.10000000000000000', '-1e-1'],
    ['1e400', '1e400'],
    ['0.00e5000', '0'],
    ['100000000000000000000.0', '1e20'],
    [`1e${'9'.repeat(200)}`, `1.e${'9'.repeat(200)}`]
  ])('%s', (json, text) => {
    expect(jsonValueOf(json, { isExact: true })).toEqual(new Decimal(json))
    expect(new Decimal(json).text).toBe(text)
  })
  test('keeps numbers that a double represents', () => {
    expect(jsonValueOf('[1, -2.5, 123456789012345]', { isExact: true })).toEqual([
      1, -2.5, 123456789012345
    ])
  })
})

test.each<[string, string, string | null]>([
  ['{"a":{"b":[1, 2]}}', 'a.b', '[1, 2]'],
  ['{"a.b":1,"a":{"b":2}}', 'a.b', '1'],
  ['{"a":{"b.c":3}}', 'a.b.c', '3'],
  ['{"a":1,"a":2}', 'a', '2'],
  [String.raw`{"\u0061":10000000000000000001}`, 'a', '10000000000000000001'],
  ['{"a":[{"b":1}]}', 'a.b', null],
  ['{"a":1}', 'toString', null],
  ['{"a":1}', 'a.b', null],
  ['{"a":1}', '.', null],
  ['[]', 'a', null]
])('finds in %s the member %s: %s', (json, path, text) => {
  expect(memberTextOf(json, path)).toBe(text)
})

test('decodes a string and returns any other value as written', () => {
  expect([String.raw`"a\u00e4\n"`, '1.50', '{"a": 1}'].map(plainTextOf)).toEqual([
    'aä\n',
    '1.50',
    '{"a": 1}'
  ])
})
