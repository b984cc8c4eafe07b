/** What counts as the form of an example, and what does not. */
import { expect, test } from '@jest/globals'
import { differencesOf } from '../../support/shape.ts'

test('an answer with other values and more members has the form', () => {
  const example = { a: 1, list: [{ b: 'x' }], none: null }
  expect(differencesOf(example, { a: 2, list: [{ b: 'y', c: 1 }, 7], none: 'z', d: 1 })).toEqual([])
  expect(differencesOf({ a: [] }, { a: [1] })).toEqual([])
  expect(differencesOf({ a: { b: 1 } }, { a: null })).toEqual([])
})

test('what is missing or of another kind is named by its path', () => {
  expect(differencesOf({ a: { b: 1 }, c: 1 }, { a: {}, c: '1' })).toEqual([
    '/a/b is missing',
    '/c is of the kind string, not number'
  ])
  expect(differencesOf({ list: [{ b: 1 }] }, { list: [] })).toEqual(['/list/0 is missing'])
  expect(differencesOf([], {})).toEqual(['the answer is of the kind object, not list'])
})
