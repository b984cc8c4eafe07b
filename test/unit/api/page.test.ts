/** Tests the pages of short lists and of versions, malformed cursors, and the detail of a query
 * with several errors.
 */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { cursorOf, invalidQuery, listPage, versionBefore } from '../../../api/page.ts'
import { problemOf } from './fakes.ts'

test('splits a list into pages without loss or repetition', () => {
  const lists = fc.uniqueArray(fc.string({ unit: 'grapheme', minLength: 1 }))
  fc.assert(
    fc.property(lists, fc.integer({ min: 1, max: 5 }), (names, limit) => {
      const list = names.map((name) => ({ name }))
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const query = cursor === undefined ? { limit } : { limit, cursor }
        const { data, meta } = listPage(list, query, 'name')
        seen.push(...data.map(({ name }) => name))
        cursor = meta.next_cursor ?? undefined
      } while (cursor !== undefined)
      expect(seen).toEqual(names.toSorted())
    })
  )
})

test.each(['', '!', 'ab cd', '=='])('rejects the malformed cursor %j', async (cursor) => {
  const problem = await problemOf(() => listPage([{ name: 'a' }], { limit: 1, cursor }, 'name'))
  expect([problem.code, problem.options.errors?.[0]?.pointer]).toEqual(['invalid_query', '/cursor'])
})

test('pages versions downwards, and treats an invalid version as coming before the first', () => {
  expect(versionBefore(undefined)).toBe(2 ** 31 - 1)
  expect(versionBefore(cursorOf('7'))).toBe(7)
  for (const key of ['x', '1.5', '1e99', '99999999999'])
    expect(versionBefore(cursorOf(key))).toBe(0)
})

test('says how many errors of a query its detail omits', () => {
  const errors = ['/from', '/to'].map((pointer) => ({ pointer, detail: 'must be a time' }))
  const detail = 'The query is not valid: /from must be a time (and 1 more).'
  expect(invalidQuery(errors).options.detail).toBe(detail)
})
