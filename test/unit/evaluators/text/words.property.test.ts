/** Tests words, phrases and phrase sets of random texts against a simple implementation. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { distinctOf, phraseSetOf, shareWithin } from '../../../../evaluators/text/phrase-set.ts'
import {
  lastWordsOf,
  phrasesOf,
  phraseWords,
  wordsMax,
  wordsOf
} from '../../../../evaluators/text/words.ts'
import { corpus } from './corpus.ts'

const excerpt = fc
  .tuple(fc.nat(corpus.length), fc.constantFrom(50, 400, 1500, 9000, 40_000))
  .map(([start, length]) => corpus.slice(start, start + length))
const chaos = fc.string({
  unit: fc.constantFrom('a', 'b', 'Ä', ' ', '\n', '.', '是', 'ข', '😀', '\ud800', 'İ', '1', '"'),
  maxLength: 500
})
const loop = fc
  .tuple(excerpt, fc.integer({ min: 2, max: 400 }), fc.integer({ min: 2, max: 200 }))
  .map(([text, length, times]) => text.slice(0, length).repeat(times))
const text = fc.oneof(excerpt, chaos, loop)
/** Two texts with a common beginning, as if an output repeated its input. */
const pair = fc.tuple(text, text, fc.nat(300)).map(([one, other, common]) => {
  return [one, one.slice(0, common) + other] as const
})

const ofItsOwn = String.raw`\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\ud800-\udfff`
const separator =
  String.raw`\0-/:-\x60{-\u00bf\u2000-\u206f\u3000-\u303f` +
  String.raw`\uff00-\uff0f\uff1a-\uff20\uff5b-\uff65`
const word = new RegExp(`[${ofItsOwn}]|[^${ofItsOwn}${separator}]+`, 'g')
const wordOfItsOwn = new RegExp(`^[${ofItsOwn}]$`)

function plainWordsOf(lowerText: string): number[] {
  return (lowerText.match(word) ?? []).map((found) => {
    if (wordOfItsOwn.test(found)) return found.charCodeAt(0)
    return sumOf(
      found.split('').map((unit) => unit.charCodeAt(0)),
      0x01000193
    )
  })
}

function plainPhrasesOf(words: readonly number[]): number[] {
  const starts = words.slice(phraseWords - 1)
  return starts.map((_, at) => sumOf(words.slice(at, at + phraseWords), 0x2c1b3c6d))
}

function sumOf(numbers: readonly number[], base: number): number {
  return numbers.reduce((sum, number) => (Math.imul(sum, base) + number) | 0, 0)
}

const runs = { seed: 20_261_123, numRuns: 500 }

test('returns the same words and phrases as the simple implementation', () => {
  const property = fc.property(text, (given) => {
    const lower = given.toLowerCase()
    const end = given.slice(-32_768).toLowerCase().slice(-32_768)
    const words = plainWordsOf(lower).slice(0, wordsMax)
    expect(wordsOf(lower)).toEqual(words)
    expect(lastWordsOf(given)).toEqual(plainWordsOf(end).slice(-wordsMax))
    expect(phrasesOf(words)).toEqual(plainPhrasesOf(words))
  })
  fc.assert(property, runs)
})

test('counts like a Set except for 1 % of phrases at most', () => {
  const property = fc.property(pair, (texts) => {
    const [one = [], other = []] = texts.map((each) => phrasesOf(wordsOf(each.toLowerCase())))
    const known = new Set(other)
    const found = one.filter((phrase) => known.has(phrase)).length
    const tolerance = one.length * 0.01
    const shared = shareWithin(one, phraseSetOf(other)) * one.length
    expect(Math.abs(shared - found)).toBeLessThanOrEqual(tolerance)
    expect(distinctOf(one) - new Set(one).size).toBeLessThanOrEqual(tolerance)
    expect(distinctOf(one)).toBeGreaterThanOrEqual(new Set(one).size)
  })
  fc.assert(property, runs)
})

test('returns the same words for a text of several megabytes', () => {
  const large = corpus.repeat(Math.ceil(2 ** 22 / corpus.length)).slice(0, 2 ** 22)
  const last = plainWordsOf(large.slice(-32_768).toLowerCase()).slice(-wordsMax)
  expect(wordsOf(large.toLowerCase())).toEqual(
    plainWordsOf(large.slice(0, 65_536).toLowerCase()).slice(0, wordsMax)
  )
  expect(lastWordsOf(large)).toEqual(last)
})
