/** A phrase set knows what was put into it, and does not slow down when phrases want one place. */
import { expect, test } from '@jest/globals'
import {
  distinctOf,
  has,
  phraseSetOf,
  shareWithin
} from '../../../../evaluators/text/phrase-set.ts'

const phrases = Array.from({ length: 1000 }, (_, at) => Math.imul(at + 1, 0x2c1b3c6d))

test('has what was put into it, and nothing else', () => {
  const set = phraseSetOf(phrases)
  expect(phrases.every((phrase) => has(set, phrase))).toBe(true)
  expect(phrases.some((phrase) => has(set, phrase + 1))).toBe(false)
})

test('counts different ones', () => {
  expect(distinctOf([1, 2, 2, 3, 3, 3])).toBe(3)
  expect(distinctOf([0, 0, 0])).toBe(1)
  expect(distinctOf([])).toBe(0)
})

test('tells which part of a text stands in another', () => {
  const set = phraseSetOf([1, 2, 3])
  expect(shareWithin([1, 2, 7, 8], set)).toBe(0.5)
  expect(shareWithin([], set)).toBe(0)
})

/** Reads of the table, counted. */
function readsFor(count: number): number {
  let reads = 0
  const table = new Array<number>(8192).fill(5)
  const watched = new Proxy(table, {
    get: (target, name) => {
      if (name !== 'length') reads++
      return Reflect.get(target, name) as unknown
    }
  })
  for (let phrase = 1; phrase <= count; phrase++) {
    has({ places: watched, mask: table.length - 1 }, phrase * 65_536)
  }
  return reads
}

test('a table in which every place is taken costs a fixed number of looks', () => {
  expect(readsFor(2000)).toBe(2 * readsFor(1000))
  expect(readsFor(1000)).toBeLessThanOrEqual(1000 * 33)
})
