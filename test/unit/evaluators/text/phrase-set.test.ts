/** Tests that a phrase set is correct, and fast even if phrases collide. */
import { expect, test } from '@jest/globals'
import {
  distinctOf,
  has,
  phraseSetOf,
  shareWithin
} from '../../../../evaluators/text/phrase-set.ts'

const phrases = Array.from({ length: 1000 }, (_, at) => Math.imul(at + 1, 0x2c1b3c6d))

test('contains its phrases and no others', () => {
  const set = phraseSetOf(phrases)
  expect(phrases.every((phrase) => has(set, phrase))).toBe(true)
  expect(phrases.some((phrase) => has(set, phrase + 1))).toBe(false)
})

test('counts distinct phrases', () => {
  expect(distinctOf([1, 2, 2, 3, 3, 3])).toBe(3)
  expect(distinctOf([0, 0, 0])).toBe(1)
  expect(distinctOf([])).toBe(0)
})

test('computes the share of phrases in a set', () => {
  const set = phraseSetOf([1, 2, 3])
  expect(shareWithin([1, 2, 7, 8], set)).toBe(0.5)
  expect(shareWithin([], set)).toBe(0)
})

/** Returns the number of reads that `count` lookups make in a full table. */
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

test('probes a bounded number of slots in a full table', () => {
  expect(readsFor(2000)).toBe(2 * readsFor(1000))
  expect(readsFor(1000)).toBeLessThanOrEqual(1000 * 33)
})
