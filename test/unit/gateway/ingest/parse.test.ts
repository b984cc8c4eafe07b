/** Tests parsing: JSON in UTF-8, the position of errors, and the members. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Problem } from '../../../../core/problem.ts'
import { depthMax, parse } from '../../../../gateway/ingest/parse.ts'
import { problemOf } from '../../api/fakes.ts'

const json = 'application/json'

function parseText(text: string) {
  return parse(json, Buffer.from(text))
}

function parseProblem(text: string | Buffer): Promise<Problem> {
  return problemOf(() => parse(json, Buffer.from(text)))
}

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}

describe('the content type', () => {
  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json ; charset = utf-8',
    'application/json;'
  ])('accepts %j', (contentType) => {
    expect(parse(contentType, Buffer.from('{}')).value).toEqual({})
  })

  test.each([
    undefined,
    '',
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'application/problem+json',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; charset=latin1',
    'application/json, text/plain',
    'multipart/form-data; boundary=application/json'
  ])('rejects %j and names the accepted type', async (contentType) => {
    const problem = await problemOf(() => parse(contentType, Buffer.from('{}')))
    expect(problem.code).toBe('unsupported_media_type')
    expect(problem.options.headers).toEqual({ accept: json })
    expect(problem.options.detail).toContain(contentType ?? 'missing')
  })
})

describe('the encoding', () => {
  test.each([
    ['a byte of Latin-1', Buffer.from('{"output":"\xe9"}', 'latin1'), 11],
    ['a sequence cut off', Buffer.from('{"output":"é"}').subarray(0, 12), 11],
    ['an encoded surrogate', Buffer.from([0x7b, 0xed, 0xa0, 0x80, 0x7d]), 1],
    ['an overlong slash', Buffer.from([0xc0, 0xaf]), 0],
    ['an invalid byte after a genuine U+FFFD', Buffer.from([0xef, 0xbf, 0xbd, 0xff]), 3],
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), 0]
  ])('rejects %s and names the byte', async (_what, body, at) => {
    const problem = await parseProblem(body)
    expect(problem.code).toBe('malformed_encoding')
    expect(problem.options.detail).toBe(`The body is not UTF-8 at byte ${at}.`)
  })

  test('skips one byte order mark', () => {
    const { text, value, members } = parseText('\ufeff{"a":1}')
    expect(value).toEqual({ a: 1 })
    expect(text.slice(members[0]?.start, members[0]?.end)).toBe('1')
  })

  test('rejects a second byte order mark', async () => {
    expect((await parseProblem('\ufeff\ufeff{}')).code).toBe('malformed_json')
  })
})

describe('rejects malformed JSON with its position', () => {
  test.each([
    ['{"a":}', 5, 1, 6],
    ['{"a":1,}', 7, 1, 8],
    ['{\n  "a": 1\n  "b": 2\n}', 13, 3, 3],
    ['{"a":1} x', 8, 1, 9],
    ['{"a":01}', 5, 1, 6],
    ["{'a':1}", 1, 1, 2],
    ['{"a":NaN}', 5, 1, 6],
    ['{"a":1', 6, 1, 7],
    ['{', 1, 1, 2],
    ['nonsense', 0, 1, 1],
    ['[1,]', 3, 1, 4]
  ])('%j', async (text, position, line, column) => {
    const problem = await parseProblem(text)
    expect(problem.code).toBe('malformed_json')
    expect(problem.options.detail).toBe(`The body is not JSON at line ${line}, column ${column}.`)
    expect(problem.options.members).toEqual({ position })
  })

  test.each(['', ' ', '\n\t\r ', '\ufeff'])('reports %j as empty', async (text) => {
    expect((await parseProblem(text)).options.detail).toBe('The body is empty.')
  })

  test('never repeats the body in an error', async () => {
    const problem = await parseProblem('{"password":"hunter2",}')
    expect(JSON.stringify(problem.options)).not.toContain('hunter2')
  })
})

describe('depth', () => {
  test(`accepts ${depthMax} levels, including the body`, () => {
    const { tooDeepIn, value } = parseText(`{"input":${nested(depthMax - 1)}}`)
    expect(tooDeepIn).toBeNull()
    expect(value).toHaveProperty('input')
  })

  test('names the member that is nested one level deeper, without parsing it', () => {
    const { tooDeepIn, value } = parseText(`{"output":"x","input":${nested(depthMax)}}`)
    expect(tooDeepIn).toBe('input')
    expect(value).toBeNull()
  })

  test.each([
    ['arrays', '['],
    ['objects', '{"a":'],
    ['both', '[{"a":']
  ])('detects excessive nesting of %s in a member before parsing', (_what, opening) => {
    expect(parseText(`{"input":${opening.repeat(1_000_000)}`).tooDeepIn).toBe('input')
  })

  test('rejects excessive nesting instead of an object', async () => {
    expect((await parseProblem('['.repeat(1_000_000))).status).toBe(400)
  })
})

describe('members', () => {
  test('cuts values out as they were sent', () => {
    const { text, members } = parseText('{ "n" : 1.0e2 , "\\u0061" :{"z":[ 1,2 ]}  ,"s":"\\"}" }')
    expect(members.map(({ name, start, end }) => [name, text.slice(start, end)])).toEqual([
      ['n', '1.0e2'],
      ['a', '{"z":[ 1,2 ]}'],
      ['s', '"\\"}"']
    ])
  })

  test.each(['[]', '"text"', '12', 'null', 'true', '[{"input":1,"output":"x"}]'])(
    '%s is JSON without members, which validate rejects',
    (text) => {
      expect(parseText(text)).toMatchObject({ members: [], tooDeepIn: null, value: null })
    }
  )

  test('returns a submission or a problem for any bytes', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ':',
      ',',
      '1',
      'e',
      ' ',
      'a',
      '\0'
    )
    const texts = fc.array(pieces, { maxLength: 30 }).map((parts) => Buffer.from(parts.join('')))
    const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array))
    fc.assert(
      fc.property(fc.oneof(texts, bytes), (body) => {
        try {
          parse(json, body)
        } catch (error) {
          expect(error).toBeInstanceOf(Problem)
          expect((error as Problem).status).toBe(400)
        }
      })
    )
  })

  test('finds every member that JSON.stringify wrote', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (object) => {
        const { text, members } = parseText(JSON.stringify(object))
        const found = members.map(({ name, start, end }) => [name, text.slice(start, end)])
        const written = Object.entries(object).map(([name, each]) => [name, JSON.stringify(each)])
        expect(found).toEqual(written)
      })
    )
  })
})

test('reads an escaped name, whatever was read before', () => {
  parseText('{"input":1,"output":"","agent_i\\\\":1}')
  const { value } = parseText('{"input":1,"output":"","agent_i\\u0064":"a"}')
  expect(value).toEqual({ input: 1, output: '', agent_id: 'a' })
})
