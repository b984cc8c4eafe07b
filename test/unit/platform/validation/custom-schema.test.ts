/** Tests JSON Schemas that customers define: checks, rejections and cost limits. */
import { describe, expect, test } from '@jest/globals'
import { CpuLimitError, cpuLimit } from '../../../../platform/validation/cpu-limit.ts'
import {
  checkCustomSchema,
  compileCustomSchema
} from '../../../../platform/validation/custom-schema.ts'
import type { JsonSchema } from '../../../../platform/validation/json-schema.ts'

function schema(text: string): JsonSchema {
  return JSON.parse(text) as JsonSchema
}

describe('a schema checks', () => {
  const order = compileCustomSchema({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    required: ['id', 'lines'],
    properties: {
      id: { type: 'string', pattern: '^[A-Z]{2}[0-9]+$' },
      mail: { type: 'string', format: 'email' },
      lines: { type: 'array', minItems: 1, items: { $ref: '#/$defs/line' } }
    },
    additionalProperties: false,
    $defs: { line: { type: 'object', properties: { amount: { type: 'number', minimum: 0 } } } }
  })

  test.each<[string, unknown, string, string, RegExp]>([
    ['a missing member', { id: 'AB1' }, '/required', '', /is required/],
    ['another type', [], '/type', '', /must be an object/],
    ['a pattern', { id: 'x', lines: [{}] }, '/properties/id/pattern', '/id', /pattern/],
    [
      'a bound of a referenced schema',
      { id: 'AB1', lines: [{ amount: -1 }] },
      '/properties/amount/minimum',
      '/lines/0/amount',
      /at least 0/
    ],
    [
      'an additional property',
      { id: 'AB1', lines: [{}], x: 1 },
      '/additionalProperties',
      '',
      /unknown property/
    ],
    [
      'a format',
      { id: 'AB1', lines: [{}], mail: 'no' },
      '/properties/mail/format',
      '/mail',
      /email/
    ]
  ])('finds %s', (_, value, schemaPointer, valuePointer, detail) => {
    expect(order(value)).toEqual({
      schemaPointer,
      valuePointer,
      detail: expect.stringMatching(detail)
    })
  })

  test('each pattern by its own text', () => {
    const check = compileCustomSchema({
      properties: { a: { pattern: '^x$' }, b: { pattern: '^y$' } },
      patternProperties: { '^c': { type: 'string' }, '^d': { type: 'number' } }
    })
    expect(check({ a: 'x', b: 'y', c: '', d: 1 })).toBeNull()
    expect(check({ b: 'x' })).toMatchObject({ valuePointer: '/b' })
    expect(check({ d: '' })).toMatchObject({ valuePointer: '/d' })
  })

  test('finds nothing in a valid value', () => {
    expect(order({ id: 'AB1', mail: 'a@b.de', lines: [{ amount: 0 }, {}] })).toBeNull()
  })

  test('inherited properties of objects are not members of a value', () => {
    const check = compileCustomSchema({ required: ['constructor', 'toString'] })
    expect(check({})).toMatchObject({ schemaPointer: '/required' })
    expect(check({ constructor: 1, toString: 2 })).toBeNull()
    expect(compileCustomSchema({ required: ['__proto__'] })({})).not.toBeNull()
  })

  test('a schema may refer to itself', () => {
    const tree = compileCustomSchema({
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#' } } },
      unevaluatedProperties: false
    })
    expect(tree({ children: [{ children: [{}] }] })).toBeNull()
    expect(tree({ children: [{ other: 1 }] })).toMatchObject({ valuePointer: '/children/0' })
  })

  test('two schemas with the same $id do not conflict', () => {
    const one = compileCustomSchema({ $id: 'https://a.example/s', type: 'string' })
    const two = compileCustomSchema({ $id: 'https://a.example/s', type: 'number' })
    expect([one('a'), two(1)]).toEqual([null, null])
  })
})

describe('rejected schemas', () => {
  test.each<[string, string, RegExp]>([
    ['{"type":"objekt"}', '/type', /must be one of array/],
    ['{"properties":{"a/b":{"typ":"string"}}}', '/properties/a~1b/typ', /is not a keyword/],
    ['{"constructor":1}', '/constructor', /is not a keyword/],
    ['{"$async":true}', '/$async', /is not a keyword/],
    [
      '{"items":{"$ref":"https://evil.example/s.json"}}',
      '/items/$ref',
      /other schemas are not fetched/
    ],
    ['{"items":{"$ref":"file:///etc/passwd"}}', '/items/$ref', /other schemas are not fetched/],
    ['{"$ref":"#/$defs/none"}', '/$ref', /points to nothing/],
    ['{"$ref":"#none"}', '', /can't resolve/],
    ['{"anyOf":[{"pattern":"(?=a)"}]}', '/anyOf/0/pattern', /lookahead/],
    ['{"patternProperties":{"a(":{}}}', '/patternProperties/a(', /RE2/],
    ['{"properties":{"__proto__":{}}}', '/properties/__proto__', /cannot be checked/],
    ['{"format":"ssn"}', '/format', /not a supported format/],
    ['{"minLength":-1}', '/minLength', /at least 0/],
    ['{"$schema":"http://json-schema.org/draft-07/schema#"}', '/$schema', /2020-12/],
    ['{"then":{}}', '', /"then" without "if"/]
  ])('%s', (text, pointer, detail) => {
    expect(checkCustomSchema(schema(text))).toEqual([
      { pointer, detail: expect.stringMatching(detail) }
    ])
  })

  test('reports all flaws at once', () => {
    const text = '{"foo":1,"properties":{"a":{"bar":1,"pattern":"(","$ref":"x"}}}'
    expect(checkCustomSchema(schema(text)).map(({ pointer }) => pointer)).toEqual([
      '/foo',
      '/properties/a/bar',
      '/properties/a/pattern',
      '/properties/a/$ref'
    ])
  })

  test('that are too long, too many or too deep', () => {
    const deep = Array.from({ length: 40 }).reduce<object>((inner) => ({ not: inner }), {})
    const many = { anyOf: Array.from({ length: 600 }, () => ({})) }
    expect(checkCustomSchema({ description: 'x'.repeat(70_000) })).toHaveLength(1)
    expect(checkCustomSchema(many)).toEqual([{ pointer: '', detail: expect.any(String) }])
    expect(checkCustomSchema(deep as JsonSchema)).toEqual([
      { pointer: '/not'.repeat(32), detail: 'nests more than 32 schemas' }
    ])
  })
})

describe('costs are bounded for', () => {
  test('a schema that calls itself without end', () => {
    expect(() => compileCustomSchema({ $ref: '#' })(1)).toThrow(CpuLimitError)
  })

  test('references that double at each step', () => {
    const steps = 60
    const refs = (to: number) => [{ $ref: `#/$defs/s${to}` }, { $ref: `#/$defs/s${to}` }]
    const $defs: Record<string, object> = { [`s${steps}`]: { type: 'string' } }
    for (let at = 0; at < steps; at++) $defs[`s${at}`] = { anyOf: refs(at + 1) }
    const doubling = { $ref: '#/$defs/s0', $defs }
    expect(checkCustomSchema(doubling)).toEqual([])
    const check = compileCustomSchema(doubling)
    expect(() => cpuLimit(() => check(1), 20)).toThrow(CpuLimitError)
    expect(cpuLimit(() => compileCustomSchema({ type: 'string' })('a'), 1000)).toBeNull()
  })

  test('a pattern that backtracks elsewhere', () => {
    const check = compileCustomSchema({ pattern: '^(a+)+$' })
    expect(check(`${'a'.repeat(5000)}!`)).toMatchObject({ schemaPointer: '/pattern' })
  })
})
