/** What may be published: nothing that was released changes, and what is new fits all of it. */
import { hash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { judgeSchemas } from '../../../../cli/schemas/judge-schemas.ts'
import { changing, schemaChanges } from '../../../support/schema-changes.ts'
import type { RecordSchema } from '../../../support/schema-changes.ts'

const textOf = (schema: unknown): string => JSON.stringify(schema)

/** Versions of one subject, all released as they are unless `released` says otherwise. */
function judge(versions: Record<string, string>, overrides: object = {}): string[] {
  const texts = new Map(Object.entries(versions))
  const released = Object.fromEntries(
    [...texts].map(([file, text]) => [file, { sha256: hash('sha256', text) }])
  )
  const newest = [...texts.keys()].slice(-1)
  return judgeSchemas({ texts, released, written: newest, ...overrides })
}

const following = (schema: RecordSchema): string[] =>
  judge({ 'thing.v1.avsc': textOf(changing), 'thing.v2.avsc': textOf(schema) })

test.each(schemaChanges)('$verdict: $title', ({ verdict, change }) => {
  const wrong = following(change(changing))
  if (verdict === 'taken') expect(wrong).toEqual([])
  else expect(wrong.join()).toContain('thing.v2.avsc cannot follow thing.v1.avsc: ')
})

test('each version is held against all before it, not only the last', () => {
  const late = { name: 'late', type: ['null', 'string'], default: null }
  const second = { ...changing, fields: [...changing.fields, late] }
  const third = { ...changing, fields: [...changing.fields, { ...late, type: ['null', 'long'] }] }
  const versions = { 'thing.v1.avsc': textOf(changing), 'thing.v2.avsc': textOf(second) }
  expect(judge(versions)).toEqual([])
  const wrong = judge({ ...versions, 'thing.v3.avsc': textOf(third) })
  expect(wrong.every((each) => each.startsWith('thing.v3.avsc cannot follow thing.v2'))).toBe(true)
  expect(wrong.join()).toContain('Thing.late was [null, string] and is [null, long]')
})

describe('what was released is frozen', () => {
  const text = textOf(changing)
  const released = { 'thing.v1.avsc': { sha256: hash('sha256', text) } }

  test('a change of it goes into the next version', () => {
    expect(judge({ 'thing.v1.avsc': `${text}\n` }, { released })).toEqual([
      'thing.v1.avsc was released and has changed: put it back, ' +
        'and make the change in thing.v2.avsc'
    ])
  })

  test('it cannot go', () => {
    expect(judge({}, { released })).toEqual([
      'thing.v1.avsc was released and is gone: put it back, topics hold what it wrote'
    ])
  })

  test('what is new is told how to be frozen', () => {
    expect(judge({ 'thing.v1.avsc': text }, { released: {} })).toEqual([
      `thing.v1.avsc is not in released.json: add it with the sha256 ${hash('sha256', text)}; ` +
        'then it is frozen'
    ])
  })
})

test.each([
  ['thing.avsc', 'thing.avsc: name it <subject>.v<version>.avsc'],
  ['thing.v0.avsc', 'thing.v0.avsc: name it <subject>.v<version>.avsc'],
  ['thing.v2.avsc', 'thing.v2.avsc: versions begin at 1 and leave none out']
])('%s is no name of a first version', (file, wrong) => {
  expect(judge({ [file]: textOf(changing) })).toEqual([wrong])
})

test.each(['{"type":', '1', 'null'])('%s is no schema', (text) => {
  expect(judge({ 'thing.v1.avsc': text })).toEqual(['thing.v1.avsc is no JSON object'])
})

test('the newest is what the code writes', () => {
  const versions = { 'thing.v1.avsc': textOf(changing), 'thing.v2.avsc': textOf(changing) }
  expect(judge(versions, { written: ['thing.v1.avsc'] })).toEqual([
    'thing.v2.avsc is the newest and nobody writes it: name it in schemas/index.ts'
  ])
})
