/** Ids that say what they are the id of. */
import { expect, test } from '@jest/globals'
import { prefixedId, prefixedIdPattern } from '../../../../core/ids/prefixed-id.ts'

test.each(['evl', 'rul', 'con', 'whk'] as const)('%s fits its pattern and no other', (prefix) => {
  const id = prefixedId(prefix, Date.UTC(2026, 0, 31))
  expect(id).toMatch(new RegExp(prefixedIdPattern(prefix)))
  expect(id.toUpperCase()).not.toMatch(new RegExp(prefixedIdPattern(prefix)))
  expect(`${id}0`).not.toMatch(new RegExp(prefixedIdPattern(prefix)))
})

test('sorts by when it was made, and no two are alike', () => {
  const ids = [1, 2, 3, 4].map((ms) => prefixedId('rul', ms))
  expect(ids.toSorted()).toEqual(ids)
  expect(prefixedId('rul', 1)).not.toBe(prefixedId('rul', 1))
})
