/** Tests that a search is split into words, and that the forms of a word in JSON text are listed.
 */
import { expect, test } from '@jest/globals'
import { formsOf, wordsOf } from '../../../../api/decisions/filters.ts'

test('splits a text at whitespace into distinct words', () => {
  expect(wordsOf('  to be\tor  not to\nbe ')).toEqual(['to', 'be', 'or', 'not'])
})

test('lists a plain word in all cases', () => {
  expect(formsOf('mAy')).toEqual(['mAy', 'may', 'MAY', 'May'])
})

test('lists forms with JSON escapes', () => {
  expect(formsOf('"é🔑')).toEqual(
    expect.arrayContaining([
      '"é🔑',
      String.raw`\"é🔑`,
      String.raw`\"\u00e9\ud83d\udd11`,
      String.raw`\"\u00c9\ud83d\udd11`
    ])
  )
})
