/** Tests the parsing of batches: the items of a batch, and the errors for the whole request. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { membersMax } from '../../../../core/json/json-members.ts'
import { Problem } from '../../../../core/problem.ts'
import { itemsMax, parseBatch } from '../../../../gateway/ingest/parse-batch.ts'
import type { Submission } from '../../../../gateway/ingest/parse.ts'
import { fragmentSoup, mutatedText, objectText, valueText } from '../../core/json/json-texts.ts'
import { problemOf } from '../../api/fakes.ts'

const lines = 'application/x-ndjson'

function parse(body: string | Buffer, contentType = 'application/json') {
  return parseBatch(contentType, Buffer.from(body))
}

function valuesOf(body: string | Buffer, contentType?: string): unknown[] {
  return parse(body, contentType).items.map((item) =>
    item instanceof Problem ? item.code : item.value
  )
}

/** Returns the value of an item, 'too deep' if it is nested too deeply, or its problem. */
function valueOf(item: Submission | Problem): unknown {
  if (item instanceof Problem) return item
  return item.tooDeepIn === null ? item.value : 'too deep'
}

/** Returns the expected items of a batch, or null if its text is not a batch. */
function decisionsIn(body: string): unknown[] | null {
  try {
    const { decisions } = JSON.parse(body) as { decisions: unknown[] }
    return decisions.length === 0 ? null : decisions.map(expectedOf)
  } catch {
    return null
  }
}

function expectedOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  return JSON.stringify(value).includes('['.repeat(60)) ? 'too deep' : value
}

/** Returns the text of each member of each item. */
function textsOf(body: string): Record<string, string>[] {
  return parse(body).items.map((item) => {
    if (item instanceof Problem) return {}
    const { text, members } = item
    return Object.fromEntries(members.map(({ name, start, end }) => [name, text.slice(start, end)]))
  })
}

/** Has as many closing as opening brackets, but of the wrong kind. */
const brokenBomb = `{"a":${'['.repeat(70)}${'}'.repeat(70)}]`
const brokenCrowd = `{${'"a":1,'.repeat(membersMax)}"b":nul}`

describe('one JSON text', () => {
  test('yields its items in order, each with its own text', () => {
    const body = '{"decisions": [ {"input": 1e400 ,"output":"a"} , {"input":[1, 2]} ]}'
    expect(textsOf(body)).toEqual([{ input: '1e400', output: '"a"' }, { input: '[1, 2]' }])
  })

  test('may begin with a byte order mark and have unknown members', () => {
    expect(valuesOf('\ufeff{"a":{"decisions":1},"decisions":[{}],"z":[]}')).toEqual([{}])
  })

  test('compares decoded names', () => {
    expect(valuesOf('{"\\u0064ecisions":[{"a":1}]}')).toEqual([{ a: 1 }])
  })

  test('an item that is nested too deeply is an item, and the others are parsed', () => {
    const deep = `{"input":${'['.repeat(70)}${']'.repeat(70)}}`
    const { items } = parse(`{"decisions":[{"a":1},${deep},{"b":2}]}`)
    const found = items.map((item) => (item instanceof Problem ? item : item.tooDeepIn))
    expect(found).toEqual([null, 'input', null])
  })

  test('items that are not objects are items', () => {
    expect(valuesOf('{"decisions":[1,"a",[2],null]}')).toEqual([null, null, null, null])
  })

  test('a report may be sent alone', () => {
    expect(parse('{"client_report":{"dropped":{}}}')).toEqual({
      items: [],
      sizes: [],
      client_report: { dropped: {} }
    })
  })

  test.each([
    ['malformed_json', 'nothing', ''],
    ['malformed_json', 'an item that is not JSON', '{"decisions":[{"a":}]}'],
    ['malformed_json', 'a scalar that is not JSON', '{"decisions":[nul]}'],
    ['malformed_json', 'no end', '{"decisions":[{}]'],
    ['malformed_json', 'text after it', '{"decisions":[{}]}x'],
    ['malformed_json', 'invalid text next to the array', '{"decisions":[{}],"a":nul}'],
    ['malformed_json', 'an array cut off', '[1,'],
    ['malformed_encoding', 'Latin-1', Buffer.from('{"decisions":["\xe9"]}', 'latin1')],
    ['invalid_batch', 'a bare array', '[{"input":1}]'],
    ['invalid_batch', 'no decisions', '{}'],
    ['invalid_batch', 'an empty array', '{"decisions":[]}'],
    ['invalid_batch', 'an object instead of the array', '{"decisions":{"a":1}}'],
    ['invalid_batch', 'duplicate decisions', '{"decisions":[{}],"decisions":[{}]}'],
    ['invalid_batch', 'another duplicate member', '{"a":1,"decisions":[{}],"\\u0061":1}'],
    ['invalid_batch', 'too many members', `{${'"a":1,'.repeat(membersMax)}"decisions":[{}]}`],
    [
      'malformed_json',
      'an item that is too deep and malformed',
      `{"decisions":[${brokenBomb},{"a":1}]}`
    ],
    [
      'malformed_json',
      'an item with too many members that is malformed',
      `{"decisions":[${brokenCrowd},{"a":1}]}`
    ],
    ['payload_too_large', 'too many', `{"decisions":[${'{},'.repeat(itemsMax)}{}]}`],
    [
      'payload_too_large',
      'too much text outside the array',
      `{"decisions":[{}],"a":"${'x'.repeat(70_000)}"}`
    ]
  ])('%s: %s', async (code, _what, body) => {
    expect((await problemOf(() => parse(body))).code).toBe(code)
  })

  test('agrees with JSON.parse, item by item, or rejects the whole', () => {
    const deep = fc.tuple(fc.nat(170), fc.constantFrom('', ']', '}', '"')).map(([at, slip]) => {
      const item = `{"a":${'['.repeat(70)}{}${']'.repeat(70)}}`
      return item.slice(0, at) + slip + item.slice(at)
    })
    const object = objectText.map(({ text }) => text)
    const item = fc.oneof(object, object, valueText, mutatedText, fragmentSoup, deep)
    const property = fc.property(fc.array(item, { minLength: 1, maxLength: 4 }), (texts) => {
      const body = `{"decisions":[${texts.join(',')}]}`
      fc.pre(body.isWellFormed())
      // Skips escaped names, because V8's JSON.parse can misread them (nodejs/node#63785).
      fc.pre(!/\\.[^"]*"\s*:/.test(body))
      const expected = decisionsIn(body)
      if (expected === null) expect(() => parse(body)).toThrow(Problem)
      else expect(parse(body).items.map(valueOf)).toEqual(expected)
    })
    fc.assert(property, { seed: 20_261_121, numRuns: 3000 })
  })

  test('the position of a syntax error is that in the body', async () => {
    const problem = await problemOf(() => parse('{"decisions":[{},\n{"a":}]}'))
    expect(problem.options.detail).toContain('line 2, column 6')
    expect(problem.options.members).toEqual({ position: 23 })
  })

  test('accepts the maximum number of items', () => {
    const body = `{"decisions":[${Array.from({ length: itemsMax }, () => '{}').join(',')}]}`
    expect(parse(body).items).toHaveLength(itemsMax)
  })
})

describe('JSON lines', () => {
  test('keep their index after ten million blank lines', () => {
    const body = `${'\n'.repeat(10_000_000)} {"a":1}\r\n\t\r\n \n {"b":2} `
    expect(valuesOf(body, lines)).toEqual([{ a: 1 }, { b: 2 }])
  })

  test('are items; blank lines are skipped', () => {
    expect(valuesOf('{"a":1}\r\n\n \t\n{"b":"ü"}', lines)).toEqual([{ a: 1 }, { b: 'ü' }])
  })

  test('a line that is not JSON or not UTF-8 fails alone', () => {
    const body = Buffer.concat([
      Buffer.from('{"a":1}\n{"a":\n'),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      Buffer.from('{"b":2}\n')
    ])
    expect(valuesOf(body, lines)).toEqual([
      { a: 1 },
      'malformed_json',
      'malformed_encoding',
      { b: 2 }
    ])
  })

  test.each([
    ['invalid_batch', 'nothing', ''],
    ['invalid_batch', 'blank lines', '\n\n'],
    ['payload_too_large', 'too many', '{}\n'.repeat(itemsMax + 1)]
  ])('%s: %s', async (code, _what, body) => {
    expect((await problemOf(() => parse(body, lines))).code).toBe(code)
  })
})

test.each(['application/x-ndjson', 'application/jsonl; charset=utf-8', 'APPLICATION/NDJSON'])(
  'accepts %s as lines',
  (contentType) => {
    expect(valuesOf('{"a":1}\n{}', contentType)).toHaveLength(2)
  }
)

test('rejects other types and names the accepted ones', async () => {
  const problem = await problemOf(() => parse('{}', 'text/csv'))
  expect(problem.code).toBe('unsupported_media_type')
  expect(problem.options.headers).toEqual({ accept: 'application/json, application/x-ndjson' })
})
