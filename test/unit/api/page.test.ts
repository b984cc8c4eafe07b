/** Tests that pages of short lists contain each entry once, whatever the page size. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { cursorOf, listPage, versionBefore } from '../../../api/page.ts'
import { problemOf } from './fakes.ts'

test('splits a list into pages without loss or repetition', () => {
  const lists = fc
    .uniqueArray(fc.string({ unit: 'grapheme', minLength: 1 }))
    .map((list) => list.sort())
  fc.assert(
    fc.property(lists, fc.integer({ min: 1, max: 5 }), (list, limit) => {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const { data, meta } = listPage(
          list,
          cursor === undefined ? { limit } : { limit, cursor },
          (key) => key
        )
        seen.push(...data)
        cursor = meta.next_cursor ?? undefined
      } while (cursor !== undefined)
      expect(seen).toEqual(list)
    })
  )
})

test.each(['', '!', 'ab cd', '=='])('rejects the malformed cursor %j', async (cursor) => {
  const problem = await problemOf(() => listPage(['a'], { limit: 1, cursor }, (key) => key))
  expect([problem.code, problem.options.errors?.[0]?.pointer]).toEqual(['invalid_query', '/cursor'])
})

test('pages versions downwards, and treats an invalid version as coming before the first', () => {
  expect(versionBefore(undefined)).toBe(2 ** 31 - 1)
  expect(versionBefore(cursorOf('7'))).toBe(7)
  for (const key of ['x', '1.5', '1e99', '99999999999'])
    expect(versionBefore(cursorOf(key))).toBe(0)
})
