/** Tests ids with a prefix for the kind of object. */
import { expect, test } from '@jest/globals'
import { idPrefixes, prefixedId, prefixedIdPattern } from '../../../../core/ids/prefixed-id.ts'

test.each(idPrefixes)('%s matches only its own pattern', (prefix) => {
  const id = prefixedId(prefix, Date.UTC(2026, 0, 31))
  expect(id).toMatch(new RegExp(prefixedIdPattern(prefix)))
  expect(id.toUpperCase()).not.toMatch(new RegExp(prefixedIdPattern(prefix)))
  expect(`${id}0`).not.toMatch(new RegExp(prefixedIdPattern(prefix)))
})

test('sorts by creation time and is unique', () => {
  const ids = [1, 2, 3, 4].map((ms) => prefixedId('rul', ms))
  expect(ids.toSorted()).toEqual(ids)
  expect(prefixedId('rul', 1)).not.toBe(prefixedId('rul', 1))
})
