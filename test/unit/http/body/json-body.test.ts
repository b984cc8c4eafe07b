/** Small bodies: what is JSON in UTF-8, and how the rest is refused. */
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

test('refuses more values than can be parsed without holding up the process', async () => {
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
  [`{"${long}":1,"${long}":2}`, '', 'has a member with a very long path twice'],
  [`{"${long}":{"a":1,"a":2}}`, '', 'has a member with a very long path twice']
])('refuses the duplicate member in %s', async (text, pointer, what) => {
  const problem = await problemOf(() => parseJsonBody(json, Buffer.from(text)))
  const detail = `The body is not valid: ${pointer || 'it'} ${what}.`
  expect([problem.code, problem.status]).toEqual(['invalid_body', 422])
  expect(problem.options).toMatchObject({ detail, errors: [{ pointer, detail: what }] })
})

test('other work goes on while a large body is searched', async () => {
  const names = Array.from({ length: 99_999 }, (_, index) => `"${index}":1`)
  let turns = 0
  let isOver = false
  const count = (): void => void (isOver || (turns++, setImmediate(count)))
  setImmediate(count)
  await parseJsonBody(json, Buffer.from(`{${names.join(',')}}`))
  isOver = true
  // Without a turn in between it would be one; how many there are is a matter of the machine.
  expect(turns).toBeGreaterThan(1)
})

test('a body that is not JSON is refused as that, whatever it has twice', async () => {
  const problem = await problemOf(() => parseJsonBody(json, Buffer.from('{"a":1,"a":2')))
  expect(problem.code).toBe('malformed_json')
})

/** Tried at each split of its spaces, either would take longer than anybody waits. */
test.each(['application/json', 'application/json; charset=utf-8'])(
  'a %s of a million spaces is refused at once',
  async (type) => {
    const contentType = `${type}${' '.repeat(1_000_000)}x`
    const problem = await problemOf(() => parseJsonBody(contentType, Buffer.from('{}')))
    expect(problem.code).toBe('unsupported_media_type')
  }
)
