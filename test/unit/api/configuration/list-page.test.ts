/** Pages of short lists: each entry once, whatever the size of the pages. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { cursorOf, listPage, versionBefore } from '../../../../api/configuration/list-page.ts'
import { problemOf } from '../fakes.ts'

test('the pages of a list are the list', () => {
  const lists = fc
    .uniqueArray(fc.string({ unit: 'grapheme', minLength: 1 }))
    .map((list) => list.sort())
  fc.assert(
    fc.property(lists, fc.integer({ min: 1, max: 5 }), (list, limit) => {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const { page, meta } = listPage(
          list,
          cursor === undefined ? { limit } : { limit, cursor },
          (key) => key
        )
        seen.push(...page)
        cursor = meta.next_cursor ?? undefined
      } while (cursor !== undefined)
      expect(seen).toEqual(list)
    })
  )
})

test.each(['', '!', 'ab cd', '=='])('%j is no cursor of ours', async (cursor) => {
  const problem = await problemOf(() => listPage(['a'], { limit: 1, cursor }, (key) => key))
  expect([problem.code, problem.options.errors?.[0]?.pointer]).toEqual(['invalid_query', '/cursor'])
})

test('versions go down, and what is no version is before the first', () => {
  expect(versionBefore(undefined)).toBe(2 ** 31 - 1)
  expect(versionBefore(cursorOf('7'))).toBe(7)
  for (const key of ['x', '1.5', '1e99', '99999999999'])
    expect(versionBefore(cursorOf(key))).toBe(0)
})
