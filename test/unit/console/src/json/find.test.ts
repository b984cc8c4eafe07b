/** Tests that find returns every match with its exact position, and ignores case. */
import { expect, test } from '@jest/globals'
import { findMatches, firstMatchAfter, nothingFound } from '../../../../../console/src/json/find.ts'

function matchesOf(text: string, phrase: string): string[] {
  const { starts, length } = findMatches(text, phrase)
  return Array.from(starts, (start) => text.slice(start, start + length))
}

test.each([
  ['aAa', 'a', ['a', 'A', 'a']],
  ['aaaa', 'aa', ['aa', 'aa']],
  ['a.b a+b', 'a.b', ['a.b']],
  ['{"a":[1,\\n]}', '":[1,\\N', ['":[1,\\n']],
  ['ẞß İi 𐐀𐐨', '𐐨', ['𐐀', '𐐨']],
  ['مرحبا \u202eevil', '\u202eEVIL', ['\u202eevil']],
  ['abc', 'x', []],
  ['abc', '', []],
  ['(a)', '(a)', ['(a)']],
  ['a-b/c|d', 'a-b/c|d', ['a-b/c|d']]
])('in %j finds %j', (text, phrase, matches) => {
  expect(matchesOf(text, phrase)).toEqual(matches)
})

test('counts at most 100,000 matches and says that there are more', () => {
  expect(findMatches('a'.repeat(200_000), 'a')).toMatchObject({ isMore: true })
  expect(findMatches('a'.repeat(99_999), 'a')).toMatchObject({ isMore: false })
})

test('finds the first match that ends after an offset', () => {
  const found = findMatches('ab..ab..ab', 'ab')
  expect([0, 1, 2, 5, 6, 9, 10].map((at) => firstMatchAfter(found, at))).toEqual([
    0, 0, 1, 1, 2, 2, 3
  ])
  expect(firstMatchAfter(nothingFound, 5)).toBe(0)
})
