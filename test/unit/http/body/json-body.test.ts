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
])('reads %s', (contentType) => {
  expect(parseJsonBody(contentType, Buffer.from('{"a":1}'))).toEqual({ a: 1 })
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

/** Tried at each split of its spaces, either would take longer than anybody waits. */
test.each(['application/json', 'application/json; charset=utf-8'])(
  'a %s of a million spaces is refused at once',
  async (type) => {
    const contentType = `${type}${' '.repeat(1_000_000)}x`
    const problem = await problemOf(() => parseJsonBody(contentType, Buffer.from('{}')))
    expect(problem.code).toBe('unsupported_media_type')
  }
)
