/** Tests ETags: a tag is a hash of the whole body, and is compared as HTTP requires. */
import { expect, test } from '@jest/globals'
import { taggedReply } from '../../../../api/decisions/views.ts'

const { etag = '' } = taggedReply('{}', undefined).headers

test('changes the tag with the body', () => {
  expect(taggedReply('{}', undefined)).toMatchObject({ status: 200, body: '{}' })
  expect(etag).toMatch(/^"[\w-]{27}"$/)
  expect(taggedReply('{ }', undefined).headers['etag']).not.toBe(etag)
})

test.each([etag, `W/${etag}`, `"a", ${etag}`, '*'])(
  'sends no body for If-None-Match %s',
  (list) => {
    expect(taggedReply('{}', list)).toEqual({ status: 304, headers: { etag }, body: '' })
  }
)

test.each(['', '"a"', etag.slice(1, -1), `${etag}x`, ',,'])(
  'sends the body for If-None-Match %s',
  (list) => {
    expect(taggedReply('{}', list).status).toBe(200)
  }
)
