/** Tests that every violation is located by its JSON pointer. */
import { describe, expect, test } from '@jest/globals'
import { uuidPattern } from '../../../../core/ids/ids.ts'
import { createCheck } from '../../../../platform/validation/json-schema.ts'
import { decisionBodySchema } from '../../../../schemas/index.ts'
import { aDecisionBody } from '../../../support/builders.ts'

const member = { type: 'object', required: ['a/b'], properties: { 'a/b': { type: 'integer' } } }
const check = createCheck({
  type: 'object',
  required: ['name', 'm~n'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 2 },
    'm~n': {},
    kind: { enum: ['red', 'green', null] },
    inner: member,
    items: { type: 'array', items: member }
  }
})

const stranger = 'is an unknown property. Allowed: name, m~n, kind, inner, items'

function problems(value: unknown): string[] {
  return check(value).map(({ pointer, detail }) => `${pointer} ${detail}`)
}

test('finds nothing in a valid value', () => {
  expect(check({ name: 'ab', 'm~n': null, kind: null, inner: { 'a/b': 1 }, items: [] })).toEqual([])
})

test.each([
  [{ name: 'ab' }, ['/m~0n is required']],
  [{}, ['/name is required', '/m~0n is required']],
  [{ name: 'a', 'm~n': 1 }, ['/name must have at least 2 characters']],
  [{ name: 1, 'm~n': 1 }, ['/name must be a string']],
  [{ name: 'ab', 'm~n': 1, other: 1 }, [`/other ${stranger}`]],
  [{ name: 'ab', 'm~n': 1, 'o/t~h': 1 }, [`/o~1t~0h ${stranger}`]],
  [{ name: 'ab', 'm~n': 1, kind: 'blue' }, ['/kind must be one of red, green, ']],
  [{ name: 'ab', 'm~n': 1, inner: {} }, ['/inner/a~1b is required']],
  [{ name: 'ab', 'm~n': 1, inner: { 'a/b': 'x' } }, ['/inner/a~1b must be a whole number']],
  [{ name: 'ab', 'm~n': 1, items: [{ 'a/b': 1 }, {}] }, ['/items/1/a~1b is required']],
  [[], [' must be an object']],
  [null, [' must be an object']]
])('%j: %j', (value, expected) => {
  expect(problems(value)).toEqual(expected)
})

test.each([
  [{ type: 'number' }, 'x', 'must be a number'],
  [{ type: ['array', 'boolean', 'null'] }, 1, 'must be an array or a boolean or null'],
  [{ type: 'string', minLength: 1 }, '', 'must have at least 1 character'],
  [{ type: 'string', maxLength: 2 }, 'abc', 'must have at most 2 characters'],
  [{ minimum: 1.5 }, 1, 'must be at least 1.5'],
  [{ maximum: 3 }, 4, 'must be at most 3'],
  [{ type: 'string', pattern: '^[^\\u0000]*$' }, '\0', 'must not contain the character U+0000'],
  [{ type: 'string', pattern: uuidPattern }, 'x', expect.stringMatching(/^must be a UUID/)],
  [{ type: 'string', pattern: '^a' }, 'b', 'must match pattern "^a"'],
  [{ type: 'string', pattern: '^a', examples: ['ab', 'ac'] }, 'b', 'must be a value like ab or ac'],
  [{ const: 1 }, 2, 'must be equal to constant']
])('describes for %j the value %j: %s', (schema, value, detail) => {
  expect(createCheck(schema)(value)).toEqual([{ pointer: '', detail }])
})

test('an own __proto__ member is data like any other', () => {
  const value: unknown = JSON.parse('{"name":"ab","m~n":1,"__proto__":{"kind":"blue"}}')
  expect(problems(value)).toEqual([`/__proto__ ${stranger}`])
})

test('coerces and fills in defaults only if requested', () => {
  const schema = {
    type: 'object',
    properties: { limit: { type: 'integer', maximum: 100, default: 20 } }
  }
  const query: Record<string, unknown> = { limit: '5' }
  expect(createCheck(schema)(query)).toEqual([
    { pointer: '/limit', detail: 'must be a whole number' }
  ])
  expect(createCheck(schema, { coerce: true })(query)).toEqual([])
  expect(query).toEqual({ limit: 5 })
  const empty = {}
  expect(createCheck(schema)(empty)).toEqual([])
  expect(empty).toEqual({})
  expect(createCheck(schema, { coerce: true })(empty)).toEqual([])
  expect(empty).toEqual({ limit: 20 })
})

test('rejects a schema with an unknown keyword at construction', () => {
  expect(() => createCheck({ type: 'object', propertys: {} })).toThrow(/propertys/)
})

describe('the body of a decision', () => {
  const checkBody = createCheck(decisionBodySchema)

  function pointers(overrides: Record<string, unknown>): string[] {
    return checkBody(aDecisionBody(overrides)).map(({ pointer }) => pointer)
  }

  test.each([
    { input: null },
    { input: false },
    { input: [] },
    { output: '' },
    { output: 'a\u0000b' },
    { unknown: 1 },
    { decision_id: null, agent_id: null, session_id: null, domain: null, metadata: null },
    { input_tokens: null, output_tokens: null, sdk_version: null },
    { decision_id: '01938C4E-5B7A-7C3E-9F00-2F6D1C1B8A55' },
    { agent_id: '' },
    { agent_id: '👟'.repeat(255), session_id: 'é'.repeat(1000), domain: '返'.repeat(100) },
    { input_tokens: 0, output_tokens: Number.MAX_SAFE_INTEGER },
    { input_tokens: 1e3 },
    { metadata: {} },
    { sdk_version: 'a'.repeat(100) }
  ])('is accepted with %j', (overrides) => {
    expect(pointers(overrides)).toEqual([])
  })

  test.each([
    [{ input: undefined }, '/input'],
    [{ output: undefined }, '/output'],
    [{ output: null }, '/output'],
    [{ output: 1 }, '/output'],
    [{ decision_id: '' }, '/decision_id'],
    [{ decision_id: '{01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55}' }, '/decision_id'],
    [{ agent_id: 1 }, '/agent_id'],
    [{ agent_id: 'a'.repeat(256) }, '/agent_id'],
    [{ agent_id: '👟'.repeat(256) }, '/agent_id'],
    [{ agent_id: 'a\u0000' }, '/agent_id'],
    [{ agent_id: 'a\n\u0000' }, '/agent_id'],
    [{ session_id: 'a'.repeat(1001) }, '/session_id'],
    [{ session_id: '\u0000' }, '/session_id'],
    [{ domain: 'a'.repeat(101) }, '/domain'],
    [{ domain: '\u0000' }, '/domain'],
    [{ sdk_version: '\u0000' }, '/sdk_version'],
    [{ metadata: [] }, '/metadata'],
    [{ metadata: 'a' }, '/metadata'],
    [{ input_tokens: -1 }, '/input_tokens'],
    [{ input_tokens: 1.5 }, '/input_tokens'],
    [{ input_tokens: '1' }, '/input_tokens'],
    [{ output_tokens: 2 ** 53 }, '/output_tokens']
  ])('is rejected with %j at %s', (overrides, pointer) => {
    const body: unknown = JSON.parse(JSON.stringify(aDecisionBody(overrides)))
    expect(checkBody(body).map((violation) => violation.pointer)).toEqual([pointer])
  })
})
