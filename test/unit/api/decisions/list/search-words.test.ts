/** Words of a search, and how they may stand in JSON. */
import { expect, test } from '@jest/globals'
import { formsOf, wordsOf } from '../../../../../api/decisions/list/search-words.ts'

test('words are what white space separates, each once', () => {
  expect(wordsOf('  to be\tor  not to\nbe ')).toEqual(['to', 'be', 'or', 'not'])
})

test('a plain word has its cases', () => {
  expect(formsOf('mAy')).toEqual(['mAy', 'may', 'MAY', 'May'])
})

test('what JSON escapes is looked for escaped as well', () => {
  expect(formsOf('"é🔑')).toEqual(
    expect.arrayContaining([
      '"é🔑',
      String.raw`\"é🔑`,
      String.raw`\"\u00e9\ud83d\udd11`,
      String.raw`\"\u00c9\ud83d\udd11`
    ])
  )
})
