/** Tags of answers: of the whole text, and compared as HTTP says. */
import { expect, test } from '@jest/globals'
import { taggedReply } from '../../../../api/decisions/tagged-reply.ts'

const { etag = '' } = taggedReply('{}', undefined).headers

test('the tag is of the text', () => {
  expect(taggedReply('{}', undefined)).toMatchObject({ status: 200, body: '{}' })
  expect(etag).toMatch(/^"[\w-]{27}"$/)
  expect(taggedReply('{ }', undefined).headers['etag']).not.toBe(etag)
})

test.each([etag, `W/${etag}`, `"a", ${etag}`, '*'])('who has %s is sent nothing', (list) => {
  expect(taggedReply('{}', list)).toEqual({ status: 304, headers: { etag }, body: '' })
})

test.each(['', '"a"', etag.slice(1, -1), `${etag}x`, ',,'])('who has %s is sent it', (list) => {
  expect(taggedReply('{}', list).status).toBe(200)
})
