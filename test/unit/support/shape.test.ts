/** Tests the comparison of a response with the shape of an example. */
import { expect, test } from '@jest/globals'
import { differencesOf } from '../../support/shape.ts'

test('accepts other values and additional members', () => {
  const example = { a: 1, list: [{ b: 'x' }], none: null }
  expect(differencesOf(example, { a: 2, list: [{ b: 'y', c: 1 }, 7], none: 'z', d: 1 })).toEqual([])
  expect(differencesOf({ a: [] }, { a: [1] })).toEqual([])
  expect(differencesOf({ a: { b: 1 } }, { a: null })).toEqual([])
})

test('returns the path of missing members and of other types', () => {
  expect(differencesOf({ a: { b: 1 }, c: 1 }, { a: {}, c: '1' })).toEqual([
    '/a/b is missing',
    '/c has the type string, not number'
  ])
  expect(differencesOf({ list: [{ b: 1 }] }, { list: [] })).toEqual(['/list/0 is missing'])
  expect(differencesOf([], {})).toEqual(['the response has the type object, not list'])
})
