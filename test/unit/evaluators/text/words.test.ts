/** Words and phrases: the same text gives the same numbers, whatever stands between the words. */
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
])('does not see %s', (_, one, other) => {
  expect(wordsOf(one)).toEqual(wordsOf(other))
})

test.each([
  ['words with accents', 'größe élève', 2],
  ['Cyrillic', 'где мой заказ', 3],
  ['Korean, which has spaces', '환불 가능한가요', 2],
  ['Chinese, which has none', '可以退款吗', 5],
  ['Thai', 'ขอ', 2],
  ['nothing', '', 0],
  ['marks only', '--- ... !!!', 0]
])('counts %s', (_, text, count) => {
  expect(wordsOf(text)).toHaveLength(count)
})

test('different words are different numbers', () => {
  const words = wordsOf(prose(4000))
  expect(new Set(words).size).toBe(new Set(prose(4000).split(' ')).size)
})

test('looks at a bounded number of words', () => {
  expect(wordsOf('a '.repeat(100_000))).toHaveLength(wordsMax)
  expect(wordsOf('是'.repeat(100_000))).toHaveLength(wordsMax)
  expect(wordsOf('a是'.repeat(100_000))).toHaveLength(wordsMax)
})

test('the last words of a text are its last, in every script', () => {
  expect(lastWordsOf(`${prose(9000)} one Two`).slice(-2)).toEqual(wordsOf('one two'))
  expect(lastWordsOf(`${'是'.repeat(90_000)}可以`).slice(-2)).toEqual(wordsOf('可以'))
  expect(lastWordsOf('a b')).toEqual(wordsOf('a b'))
  expect(lastWordsOf('İ'.repeat(90_000))).toHaveLength(1)
  expect(lastWordsOf('a是'.repeat(90_000))).toHaveLength(wordsMax)
})

test('a phrase is the same wherever it stands', () => {
  const phrase = 'one two three four five six'
  const alone = phrasesOf(wordsOf(phrase))
  expect(alone).toHaveLength(1)
  const within = phrasesOf(wordsOf(`${prose(50)} ${phrase} ${prose(50, 2)}`))
  expect(within[50]).toBe(alone[0])
  expect([...within].filter((each) => each === alone[0])).toHaveLength(1)
})

test('the order of the words matters', () => {
  const [one] = phrasesOf(wordsOf('one two three four five six'))
  const [other] = phrasesOf(wordsOf('two one three four five six'))
  expect(one).not.toBe(other)
})

test('fewer words than a phrase has are none', () => {
  expect(phrasesOf(wordsOf(prose(phraseWords - 1)))).toHaveLength(0)
})
