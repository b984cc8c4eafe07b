/** A phrase set knows what was put into it, and does not slow down when phrases want one place. */
import { expect, test } from '@jest/globals'
import {
  distinctOf,
  has,
  phraseSetOf,
  shareWithin
} from '../../../../evaluators/text/phrase-set.ts'

const phrases = Int32Array.from({ length: 1000 }, (_, at) => Math.imul(at + 1, 0x2c1b3c6d))

test('has what was put into it, and nothing else', () => {
  const set = phraseSetOf(phrases)
  expect(phrases.every((phrase) => has(set, phrase))).toBe(true)
  expect(phrases.some((phrase) => has(set, phrase + 1))).toBe(false)
})

test('counts different ones', () => {
  expect(distinctOf(Int32Array.of(1, 2, 2, 3, 3, 3))).toBe(3)
  expect(distinctOf(Int32Array.of(0, 0, 0))).toBe(1)
  expect(distinctOf(new Int32Array(0))).toBe(0)
})

test('tells which part of a text stands in another', () => {
  const set = phraseSetOf(Int32Array.of(1, 2, 3))
  expect(shareWithin(Int32Array.of(1, 2, 7, 8), set)).toBe(0.5)
  expect(shareWithin(new Int32Array(0), set)).toBe(0)
})

/** Reads of the table, counted; a typed array cannot be watched, so this one stands in for it. */
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
    has({ places: watched as unknown as Int32Array, mask: table.length - 1 }, phrase * 65_536)
  }
  return reads
}

test('a table in which every place is taken costs a fixed number of looks', () => {
  expect(readsFor(2000)).toBe(2 * readsFor(1000))
  expect(readsFor(1000)).toBeLessThanOrEqual(1000 * 33)
})
