/** Tests similarity: for each method, outputs that pass and that fail. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { compareJson } from '../../../../evaluators/similarity/json-diff.ts'
import { levenshteinSimilarity } from '../../../../evaluators/similarity/levenshtein.ts'
import { onlyNumberIn } from '../../../../evaluators/similarity/numbers.ts'
import { aVersion, found } from '../a-version.ts'

type Case = [string, Record<string, unknown>, string, string, number]

/** Names, configurations, outputs, references as JSON text, and expected values. */
const cases: Case[] = [
  ['the same text', { method: 'exact' }, ' Paris\n', '"Paris"', 1],
  ['another case', { method: 'exact' }, 'paris', '"Paris"', 0],
  ['another case, ignored', { method: 'exact', case_sensitive: false }, 'PARIS', '"Paris"', 1],
  [
    'a number, digit for digit',
    { method: 'exact' },
    '12345678901234567890',
    '12345678901234567890',
    1
  ],
  ['the next number', { method: 'exact' }, '12345678901234567891', '12345678901234567890', 0],
  ['a number in a sentence', { method: 'numeric' }, 'It costs 1,250.50 EUR.', '1250.5', 1],
  ['a number as text', { method: 'numeric' }, '42', '"42.0"', 1],
  ['another number', { method: 'numeric' }, '43', '42', 0],
  ['within the tolerance', { method: 'numeric', tolerance: 0.1 }, '1.1', '1', 1],
  ['beyond the tolerance', { method: 'numeric', tolerance: 0.1 }, '1.11', '1', 0],
  ['below zero', { method: 'numeric' }, 'The balance is −5.', '-5', 1],
  ['two numbers', { method: 'numeric' }, '42 or 43', '42', 0],
  ['no number', { method: 'numeric' }, 'forty-two', '42', 0],
  ['beyond 2^53', { method: 'numeric' }, '9007199254740993', '9007199254740992', 0],
  ['another notation', { method: 'numeric' }, '1e3', '1000', 1],
  ['alike', { method: 'levenshtein' }, 'kitten', '"sitting"', 0.571],
  ['equal except for case', { method: 'levenshtein', case_sensitive: false }, 'ABC', '"abc"', 1],
  [
    'members in another order',
    { method: 'json_diff' },
    '{"b":1,"a":[1,2]}',
    '{"a":[1,2],"b":1}',
    1
  ],
  ['items in another order', { method: 'json_diff' }, '[2,1]', '[1,2]', 0],
  ['one of two leaves', { method: 'json_diff' }, '{"a":1,"b":3}', '{"a":1,"b":2}', 0.5],
  ['an additional member', { method: 'json_diff' }, '{"a":1,"b":2}', '{"a":1}', 0.5],
  ['a missing branch', { method: 'json_diff' }, '{"a":1}', '{"a":1,"b":{"c":1,"d":2,"e":3}}', 0.25],
  ['1.0 and 1', { method: 'json_diff' }, '[1.0]', '[1]', 1],
  ['a digit beyond 2^53', { method: 'json_diff' }, '[9007199254740993]', '[9007199254740992]', 0],
  ['equal beyond doubles', { method: 'json_diff' }, '[1e400]', '[10e399]', 1],
  ['different beyond doubles', { method: 'json_diff' }, '[1e400]', '[1e401]', 0],
  [
    'escaped names',
    { method: 'json_diff' },
    String.raw`{"\u0061b":1,"\u0061c":2}`,
    '{"ab":1,"ac":2}',
    1
  ],
  [
    'a reference that is a JSON string',
    { method: 'json_diff' },
    '{"a":1}',
    String.raw`"{\"a\":1}"`,
    1
  ],
  ['an output that is not JSON', { method: 'json_diff' }, 'a is 1', '{"a":1}', 0],
  ['empty objects', { method: 'json_diff' }, '{}', '{}', 1],
  ['an empty list for an empty object', { method: 'json_diff' }, '[]', '{}', 0],
  ['null for nothing', { method: 'json_diff' }, '{"a":null}', '{}', 0]
]

test.each(cases)('%s', (_, config, output, reference, value) => {
  const version = aVersion('similarity', config)
  const metadata = `{"expected":${reference}}`
  expect(found(version, { output, metadata })).toMatchObject({ value })
})

test.each<[Record<string, unknown>, number, boolean]>([
  [{ method: 'levenshtein' }, 0.8, true],
  [{ method: 'levenshtein', threshold: 0.9 }, 0.8, false],
  [{ method: 'json_diff' }, 0.8, false],
  [{ method: 'json_diff', threshold: 0.8 }, 0.8, true]
])('passes at and above the threshold: %j', (config, value, passed) => {
  const isJson = config['method'] === 'json_diff'
  const [output, expected] = isJson ? ['[1,2,3,4,0]', '[1,2,3,4,5]'] : ['abcd0', '"abcde"']
  const metadata = `{"expected":${expected}}`
  expect(found(aVersion('similarity', config), { output, metadata })).toMatchObject({
    value,
    passed
  })
})

test('gives only equal texts the value 1', () => {
  const list = Array.from({ length: 5000 }, (_, at) => at)
  const metadata = JSON.stringify({ expected: list })
  const output = JSON.stringify([...list.slice(1), 0].sort((a, b) => a - b).with(9, -1))
  const finding = found(aVersion('similarity', { method: 'json_diff' }), { output, metadata })
  expect(finding).toMatchObject({ value: 0.999, passed: false, evidence: [{ path: '/output/9' }] })
})

test.each<[string, Record<string, unknown>, object, string]>([
  ['no reference', { method: 'exact' }, { metadata: '{"a":1}' }, 'not_applicable'],
  ['no metadata', { method: 'json_diff' }, { metadata: null }, 'not_applicable'],
  [
    'a reference without a number',
    { method: 'numeric' },
    { metadata: '{"expected":"many"}' },
    'not_applicable'
  ],
  [
    'a long text',
    { method: 'levenshtein' },
    { output: 'a'.repeat(4001), metadata: '{"expected":"a"}' },
    'content_too_large'
  ],
  [
    'deep JSON',
    { method: 'json_diff' },
    { output: '['.repeat(99) + ']'.repeat(99), metadata: '{"expected":[]}' },
    'content_too_large'
  ],
  [
    'JSON with many values',
    { method: 'json_diff' },
    { output: `[${'0,'.repeat(20_000)}0]`, metadata: '{"expected":[]}' },
    'content_too_large'
  ]
])('skips %s', (_, config, decision, status_reason) => {
  expect(found(aVersion('similarity', config), decision)).toEqual({
    kind: 'skipped',
    status_reason
  })
})

describe('the reference', () => {
  test('can be nested', () => {
    const version = aVersion('similarity', { method: 'exact', reference: 'metadata.gold.answer' })
    const decision = { output: 'B', metadata: '{"gold":{"answer":"B"}}' }
    expect(found(version, decision)).toMatchObject({ passed: true })
  })
})

test('is symmetric, at least 0, and 1 only for equal texts', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), fc.string({ maxLength: 30 }), (one, other) => {
      const likeness = levenshteinSimilarity(one, other) ?? -1
      expect(likeness).toBe(levenshteinSimilarity(other, one))
      expect(likeness === 1).toBe(one === other)
      expect(likeness).toBeGreaterThanOrEqual(0)
    })
  )
})

test('distinguishes a changed value from an equal one', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const [a, b] = [JSON.stringify(one), JSON.stringify(other)]
      const same = compareJson(JSON.parse(a), JSON.parse(a))
      expect(same).toEqual({ share: 1, firstDifference: null })
      const compared = compareJson([JSON.parse(a)], [JSON.parse(b)])
      if (a !== b && compared?.share === 1) {
        // The values differ only in the order of members or the sign of a zero.
        expect(b.length).toBeGreaterThan(0)
        expect([...a].sort().join('').replaceAll('-', '')).toBe(
          [...b].sort().join('').replaceAll('-', '')
        )
      }
    })
  )
})

test.each<[string, string | null]>([
  ['7', '7'],
  ['+7.50', '7.50'],
  ['It is 1,234,567.89.', '1234567.89'],
  ['3.', '3'],
  ['v1.2.3', null],
  ['A4', null],
  ['1 2', null],
  ['', null]
])('reads the number in %j as %j', (text, number) => {
  expect(onlyNumberIn(text)).toBe(number)
})
