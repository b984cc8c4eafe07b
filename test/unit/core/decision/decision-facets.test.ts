/** Tests that the facets of metadata have exact values and are limited in number and size. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  facetsOf,
  isLabelName,
  labelNameCharactersMax,
  labelTextCharactersMax,
  labelsMax,
  metadataUnitsMax
} from '../../../../core/decision/decision-facets.ts'
import { objectText } from '../json/json-texts.ts'

const nothing = {
  labels: null,
  model: null,
  agent_version: null,
  trace_id: null,
  parent_decision_id: null,
  kind: null,
  name: null,
  latency_ms: null,
  is_error: null
}

describe('labels', () => {
  test('are the texts, numbers and booleans exactly as sent', () => {
    const metadata = `{"team": "a\\"b", "n": 1.0, "id": 12345678901234567890, "on": true,
      "nothing": null, "list": ["x"], "deep": {"team": "c"}, "__proto__": "p", "": "unnamed"}`
    expect(facetsOf(metadata).labels).toEqual([
      ...['team=a"b', 'n=1.0', 'id=12345678901234567890', 'on=true', '__proto__=p', '=unnamed']
    ])
  })

  test.each([
    ['a long text', `{"a": "${'x'.repeat(labelTextCharactersMax + 1)}"}`],
    ['a long name', `{"${'x'.repeat(labelNameCharactersMax + 1)}": "a"}`],
    ['a long number', `{"a": 1${'0'.repeat(labelTextCharactersMax)}}`],
    ['U+0000', '{"a": "b\\u0000"}'],
    ['U+0000 in a name', '{"a\\u0000": "b"}'],
    ['an unpaired surrogate', '{"a": "\\ud800"}'],
    ['a name with an equals sign', '{"a=b": "c"}'],
    ['metadata that is not an object', '["a", "b"]'],
    ['a text', '"a=b"'],
    ['no metadata', '{}']
  ])('leave out %s', (_, metadata) => {
    expect(facetsOf(metadata)).toEqual(nothing)
  })

  test('are limited in code points, not UTF-16 units', () => {
    const text = '😀'.repeat(labelTextCharactersMax)
    expect(facetsOf(JSON.stringify({ a: text })).labels).toEqual([`a=${text}`])
  })

  test('are the first labels up to the limit; reserved members may follow them', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`n${at}`, at]))
    const { labels, model } = facetsOf(JSON.stringify({ ...many, model: 'm' }))
    expect(labels).toHaveLength(labelsMax)
    expect(labels?.at(-1)).toBe('n31=31')
    expect(model).toBe('m')
  })

  test('take the last member of a name', () => {
    expect(facetsOf('{"a": 1, "b": 2, "\\u0061": 3}').labels).toEqual(['a=3', 'b=2'])
    expect(facetsOf('{"a": 1, "a": null}').labels).toBeNull()
  })
})

describe('reserved members', () => {
  test.each([
    ['"small-1"', 'small-1'],
    ['""', null],
    ['7', null],
    ['null', null],
    [`"${'x'.repeat(101)}"`, null]
  ])('a model %s', (literal, model) => {
    expect(facetsOf(`{"model": ${literal}}`).model).toBe(model)
    for (const name of ['agent_version', 'trace_id', 'kind', 'name'] as const) {
      expect(facetsOf(`{"${name}": ${literal}}`)[name]).toBe(model)
    }
  })

  test.each([
    ['"5A1D6D1C-8F0E-5D7A-9A53-0C8F7F3B2E11"', '5a1d6d1c-8f0e-5d7a-9a53-0c8f7f3b2e11'],
    ['"5a1d6d1c8f0e5d7a9a530c8f7f3b2e11"', null],
    ['""', null],
    ['7', null]
  ])('a parent of %s', (literal, id) => {
    expect(facetsOf(`{"parent_decision_id": ${literal}}`).parent_decision_id).toBe(id)
  })

  test.each([
    ['812', 812],
    ['0.25', 0.25],
    ['-0', 0],
    ['1e3', 1000],
    ['-1', null],
    ['1e400', null],
    ['1e300', null],
    ['"812"', null],
    ['true', null]
  ])('read a latency of %s', (literal, ms) => {
    expect(facetsOf(`{"latency_ms": ${literal}}`).latency_ms).toBe(ms)
  })

  test.each([
    ['true', true],
    ['"timeout"', true],
    ['{"code": 1}', true],
    ['[0]', true],
    ['false', false],
    ['""', false],
    ['null', false],
    ['{ }', false],
    ['[]', false],
    ['0', null],
    ['1', null]
  ])('read an error of %s', (literal, isError) => {
    expect(facetsOf(`{"error": ${literal}}`).is_error).toBe(isError)
  })

  test('ignore members of nested objects', () => {
    expect(facetsOf('{"a": {"model": "m", "error": true}}')).toEqual(nothing)
  })
})

test('has no facets without metadata, or if it is too long', () => {
  expect(facetsOf(null)).toEqual(nothing)
  const filler = ' '.repeat(metadataUnitsMax - 9)
  expect(facetsOf(`{"a": 1}${filler} `).labels).toEqual(['a=1'])
  expect(facetsOf(`{"a": 1}${filler}  `)).toEqual(nothing)
})

test('skips values at the maximum depth', () => {
  const depth = 30_000
  const metadata = `{"deep": ${'['.repeat(depth)}${']'.repeat(depth)}, "a": 1}`
  expect(facetsOf(metadata).labels).toEqual(['a=1'])
})

test('takes the last value of each name from any object', () => {
  fc.assert(
    fc.property(objectText, ({ text, members }) => {
      // Parses each part separately, because V8 can misread an escaped name in a whole object
      // (nodejs/node#63785).
      const last = new Map(members.map(({ name, value }) => [textOf(name), value]))
      const labels = [...last]
        .filter(([, value]) => !/^[[{n]/.test(value))
        .filter(([name]) => isLabelName(name))
        .map(([name, value]) => [name, textOf(value)] as const)
        .filter(([, value]) => value.isWellFormed() && !value.includes('\u0000'))
        .filter(([, value]) => [...value].length <= labelTextCharactersMax)
        .map(([name, value]) => `${name}=${value}`)
      expect(facetsOf(text).labels ?? []).toEqual(labels.slice(0, labelsMax))
    }),
    { numRuns: 1000 }
  )
})

test('reads an object correctly that V8 would mistake for another one', () => {
  expect(facetsOf('{"a": 1, "\\\\": true}').labels).toEqual(['a=1', '\\=true'])
  expect(facetsOf('{"a": 1, "\\"": true}').labels).toEqual(['a=1', '"=true'])
})

test('never throws on any text and returns only storable facets', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => {
      for (const label of facetsOf(text).labels ?? []) {
        expect(label.isWellFormed() && !label.includes('\u0000')).toBe(true)
      }
      facetsOf(`{"a": ${text}`)
    })
  )
})

/** Returns the value of a JSON string. Numbers, true and false are returned as written. */
function textOf(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json
}
