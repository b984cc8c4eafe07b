/** Tests that JSON bodies are read, and that invalid bodies cause the right errors. */
import { expect, test } from '@jest/globals'
import { parseJsonBody } from '../../../../http/body/json-body.ts'
import { problemOf } from '../../api/fakes.ts'

const json = 'application/json'

test.each([
  json,
  'Application/JSON; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/json ; charset = utf-8 ; ',
  'application/json;',
  'application/json ; '
])('reads %s', async (contentType) => {
  expect(await parseJsonBody(contentType, Buffer.from('{"a":1}'))).toEqual({ a: 1 })
})

test.each<[string | undefined, Buffer, string]>([
  [undefined, Buffer.from('{}'), 'unsupported_media_type'],
  ['text/plain', Buffer.from('{}'), 'unsupported_media_type'],
  ['application/json;;', Buffer.from('{}'), 'unsupported_media_type'],
  ['application/json; charset=utf-8;;', Buffer.from('{}'), 'unsupported_media_type'],
  ['application/json; charset=latin1', Buffer.from('{}'), 'unsupported_media_type'],
  ['application/x-www-form-urlencoded', Buffer.from('a=b'), 'unsupported_media_type'],
  [json, Buffer.from([0x22, 0xff, 0x22]), 'malformed_encoding'],
  [json, Buffer.from(''), 'malformed_json'],
  [json, Buffer.from('{"password":"secret"'), 'malformed_json'],
  [json, Buffer.from('{"password":"secret"}}'), 'malformed_json'],
  [json, Buffer.from('['.repeat(60_000)), 'malformed_json']
])('refuses %s %p with %s', async (contentType, body, code) => {
  const problem = await problemOf(() => parseJsonBody(contentType, body))
  expect(problem.code).toBe(code)
  expect(problem.options.detail).not.toContain('secret')
})

test('rejects more values than can be parsed without blocking the process', async () => {
  const valuesOf = (count: number): Buffer => Buffer.from(`[${'[],'.repeat(count - 2)}[]]`)
  expect(await parseJsonBody(json, valuesOf(100_000))).toHaveLength(99_999)
  const problem = await problemOf(() => parseJsonBody(json, valuesOf(100_001)))
  expect(problem.code).toBe('malformed_json')
  expect(problem.options.detail).toContain('100000 values')
})

const long = 'n'.repeat(300)

test.each([
  ['{"name":"secret","name":"other"}', '/name', 'appears more than once'],
  ['{"config":{"a":[0,{"k":"secret","\\u006b":1}]}}', '/config/a/1/k', 'appears more than once'],
  [`{"${long}":1,"${long}":2}`, '', 'has a duplicate member with a very long path'],
  [`{"${long}":{"a":1,"a":2}}`, '', 'has a duplicate member with a very long path']
])('refuses the duplicate member in %s', async (text, pointer, what) => {
  const problem = await problemOf(() => parseJsonBody(json, Buffer.from(text)))
  const detail = `The body is not valid: ${pointer || 'it'} ${what}.`
  expect([problem.code, problem.status]).toEqual(['invalid_body', 422])
  expect(problem.options).toMatchObject({ detail, errors: [{ pointer, detail: what }] })
})

test('other work runs while a large body is searched', async () => {
  const names = Array.from({ length: 99_999 }, (_, index) => `"${index}":1`)
  let turns = 0
  let isOver = false
  const count = (): void => void (isOver || (turns++, setImmediate(count)))
  setImmediate(count)
  await parseJsonBody(json, Buffer.from(`{${names.join(',')}}`))
  isOver = true
  // Without yielding, only one iteration of the event loop would run. The exact number depends on
  // the machine.
  expect(turns).toBeGreaterThan(1)
})

test('reports malformed JSON first, whatever its duplicates', async () => {
  const problem = await problemOf(() => parseJsonBody(json, Buffer.from('{"a":1,"a":2')))
  expect(problem.code).toBe('malformed_json')
})

/** A regular expression that backtracks over the spaces would take far too long. */
test.each(['application/json', 'application/json; charset=utf-8'])(
  'rejects a %s of a million spaces at once',
  async (type) => {
    const contentType = `${type}${' '.repeat(1_000_000)}x`
    const problem = await problemOf(() => parseJsonBody(contentType, Buffer.from('{}')))
    expect(problem.code).toBe('unsupported_media_type')
  }
)
