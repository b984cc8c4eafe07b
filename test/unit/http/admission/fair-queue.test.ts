/** Tests that callers take turns, and that the requests of each caller are served in order. */
import { expect, test } from '@jest/globals'
import { createFairQueue } from '../../../../http/admission/fair-queue.ts'

test('is FIFO within a caller, even when entries are added in between', () => {
  const queue = createFairQueue<number>()
  const left: (number | undefined)[] = []
  queue.push('a', 1, 0)
  queue.push('a', 2, 0)
  left.push(queue.shift(0))
  queue.push('a', 3, 0)
  left.push(queue.shift(0))
  queue.push('a', 4, 0)
  left.push(queue.shift(0), queue.shift(0), queue.shift(0))
  expect(left).toEqual([1, 2, 3, 4, undefined])
})

test("a caller with one request does not wait for another's hundred", () => {
  const queue = createFairQueue<string>()
  for (let index = 0; index < 100; index++) queue.push('loud', `loud ${index}`, 0)
  queue.push('quiet', 'quiet 0', 0)
  queue.push('other', 'other 0', 0)
  const left = Array.from({ length: 5 }, () => queue.shift(0))
  expect(left).toEqual(['loud 0', 'quiet 0', 'other 0', 'loud 1', 'loud 2'])
  expect(queue.length()).toBe(97)
})

test('knows the oldest entry of each caller, and since when the next caller waits', () => {
  const queue = createFairQueue<number>()
  expect([queue.firstOf('a'), queue.nextSince()]).toEqual([undefined, null])
  for (const one of [1, 2, 3]) queue.push('a', one, 10)
  queue.push('b', 4, 20)
  expect([queue.firstOf('a'), queue.firstOf('b'), queue.nextSince()]).toEqual([1, 4, 10])
  queue.shift(30)
  expect([queue.firstOf('a'), queue.nextSince()]).toEqual([2, 20])
  queue.shift(40)
  // The next caller's wait is measured from 30, when that caller was last served, and not from 10,
  // when the request arrived.
  expect([queue.firstOf('b'), queue.nextSince(), queue.length()]).toEqual([undefined, 30, 2])
})
