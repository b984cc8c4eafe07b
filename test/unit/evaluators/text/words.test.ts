/** Tests that words and phrases ignore spacing and punctuation, and that their number is limited.
 */
import { expect, test } from '@jest/globals'
import {
  lastWordsOf,
  phrasesOf,
  phraseWords,
  wordsMax,
  wordsOf
} from '../../../../evaluators/text/words.ts'
import { prose } from '../a-subject.ts'

test.each([
  ['spaces, line breaks and punctuation', 'a b c', '  a,\n"b" … (c)!'],
  ['quotation marks of any kind', 'der hund bellt', '„der” »hund« bellt。']
])('ignores %s', (_, one, other) => {
  expect(wordsOf(one)).toEqual(wordsOf(other))
})

test.each([
  ['words with accents', 'größe élève', 2],
  ['Cyrillic', 'где мой заказ', 3],
  ['Korean, which has spaces', '환불 가능한가요', 2],
  ['Chinese, which has none', '可以退款吗', 5],
  ['Thai', 'ขอ', 2],
  ['nothing', '', 0],
  ['punctuation only', '--- ... !!!', 0]
])('counts %s', (_, text, count) => {
  expect(wordsOf(text)).toHaveLength(count)
})

test('gives different words different hashes', () => {
  const words = wordsOf(prose(4000))
  expect(new Set(words).size).toBe(new Set(prose(4000).split(' ')).size)
})

test('reads a bounded number of words', () => {
  expect(wordsOf('a '.repeat(100_000))).toHaveLength(wordsMax)
  expect(wordsOf('是'.repeat(100_000))).toHaveLength(wordsMax)
  expect(wordsOf('a是'.repeat(100_000))).toHaveLength(wordsMax)
})

test('reads the last words in every script', () => {
  expect(lastWordsOf(`${prose(9000)} one Two`).slice(-2)).toEqual(wordsOf('one two'))
  expect(lastWordsOf(`${'是'.repeat(90_000)}可以`).slice(-2)).toEqual(wordsOf('可以'))
  expect(lastWordsOf('a b')).toEqual(wordsOf('a b'))
  expect(lastWordsOf('İ'.repeat(90_000))).toHaveLength(1)
  expect(lastWordsOf('a是'.repeat(90_000))).toHaveLength(wordsMax)
})

test('gives a phrase the same hash at any position', () => {
  const phrase = 'one two three four five six'
  const alone = phrasesOf(wordsOf(phrase))
  expect(alone).toHaveLength(1)
  const within = phrasesOf(wordsOf(`${prose(50)} ${phrase} ${prose(50, 2)}`))
  expect(within[50]).toBe(alone[0])
  expect([...within].filter((each) => each === alone[0])).toHaveLength(1)
})

test('distinguishes the order of words', () => {
  const [one] = phrasesOf(wordsOf('one two three four five six'))
  const [other] = phrasesOf(wordsOf('two one three four five six'))
  expect(one).not.toBe(other)
})

test('returns no phrase for a text that is shorter than a phrase', () => {
  expect(phrasesOf(wordsOf(prose(phraseWords - 1)))).toHaveLength(0)
})
