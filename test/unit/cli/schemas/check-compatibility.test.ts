/** Tests the rules for schema versions: released versions are frozen, new versions are compatible.
 */
import { hash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { checkCompatibility } from '../../../../cli/schemas/check-compatibility.ts'
import { changing, schemaChanges } from '../../../support/schema-changes.ts'
import type { RecordSchema } from '../../../support/schema-changes.ts'

const textOf = (schema: unknown): string => JSON.stringify(schema)

/** Checks versions of one subject. By default, all are released and unchanged. */
function judge(versions: Record<string, string>, overrides: object = {}): string[] {
  const texts = new Map(Object.entries(versions))
  const released = Object.fromEntries(
    [...texts].map(([file, text]) => [file, { sha256: hash('sha256', text) }])
  )
  const newest = [...texts.keys()].slice(-1)
  return checkCompatibility({ texts, released, written: newest, ...overrides })
}

const following = (schema: RecordSchema): string[] =>
  judge({ 'thing.v1.avsc': textOf(changing), 'thing.v2.avsc': textOf(schema) })

test.each(schemaChanges)('$compatibility: $title', ({ compatibility, change }) => {
  const wrong = following(change(changing))
  if (compatibility === 'accepted') expect(wrong).toEqual([])
  else expect(wrong.join()).toContain('thing.v2.avsc is not compatible with thing.v1.avsc: ')
})

test('compares each version with all earlier ones', () => {
  const late = { name: 'late', type: ['null', 'string'], default: null }
  const second = { ...changing, fields: [...changing.fields, late] }
  const third = { ...changing, fields: [...changing.fields, { ...late, type: ['null', 'long'] }] }
  const versions = { 'thing.v1.avsc': textOf(changing), 'thing.v2.avsc': textOf(second) }
  expect(judge(versions)).toEqual([])
  const wrong = judge({ ...versions, 'thing.v3.avsc': textOf(third) })
  expect(
    wrong.every((each) => each.startsWith('thing.v3.avsc is not compatible with thing.v2'))
  ).toBe(true)
  expect(wrong.join()).toContain('Thing.late changed from [null, string] to [null, long]')
})

describe('released versions', () => {
  const text = textOf(changing)
  const released = { 'thing.v1.avsc': { sha256: hash('sha256', text) } }

  test('rejects a change and names the next version', () => {
    expect(judge({ 'thing.v1.avsc': `${text}\n` }, { released })).toEqual([
      'thing.v1.avsc was released and has changed: restore it, and make the change in ' +
        'thing.v2.avsc'
    ])
  })

  test('rejects a removal', () => {
    expect(judge({}, { released })).toEqual([
      'thing.v1.avsc was released and is missing: restore it, since topics hold records of it'
    ])
  })

  test('says how to freeze a new version', () => {
    expect(judge({ 'thing.v1.avsc': text }, { released: {} })).toEqual([
      'thing.v1.avsc is not in released.json: add it with the sha256 ' +
        `${hash('sha256', text)}, which freezes it`
    ])
  })
})

test.each([
  ['thing.avsc', 'thing.avsc: name it <subject>.v<version>.avsc'],
  ['thing.v0.avsc', 'thing.v0.avsc: name it <subject>.v<version>.avsc'],
  ['thing.v2.avsc', 'thing.v2.avsc: versions must start at 1 and have no gaps']
])('rejects %s as the first version', (file, wrong) => {
  expect(judge({ [file]: textOf(changing) })).toEqual([wrong])
})

test.each(['{"type":', '1', 'null'])('rejects the schema %s', (text) => {
  expect(judge({ 'thing.v1.avsc': text })).toEqual(['thing.v1.avsc is not a JSON object'])
})

test('rejects a newest version that the code does not use', () => {
  const versions = { 'thing.v1.avsc': textOf(changing), 'thing.v2.avsc': textOf(changing) }
  expect(judge(versions, { written: ['thing.v1.avsc'] })).toEqual([
    'thing.v2.avsc is the newest version, but the code does not use it: name it in ' +
      'schemas/index.ts'
  ])
})
