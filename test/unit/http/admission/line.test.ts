/** Round robin by caller; of one caller first in, first out, however it is filled and emptied. */
import { expect, test } from '@jest/globals'
import { createLine } from '../../../../http/admission/line.ts'

test('of one caller who came first leaves first, also when others come in between', () => {
  const line = createLine<number>()
  const left: (number | undefined)[] = []
  line.push('a', 1, 0)
  line.push('a', 2, 0)
  left.push(line.shift(0))
  line.push('a', 3, 0)
  left.push(line.shift(0))
  line.push('a', 4, 0)
  left.push(line.shift(0), line.shift(0), line.shift(0))
  expect(left).toEqual([1, 2, 3, 4, undefined])
})

test('a caller with one request does not wait for all of another with a hundred', () => {
  const line = createLine<string>()
  for (let index = 0; index < 100; index++) line.push('loud', `loud ${index}`, 0)
  line.push('quiet', 'quiet 0', 0)
  line.push('other', 'other 0', 0)
  const left = Array.from({ length: 5 }, () => line.shift(0))
  expect(left).toEqual(['loud 0', 'quiet 0', 'other 0', 'loud 1', 'loud 2'])
  expect(line.length()).toBe(97)
})

test('knows the oldest of each caller, and since when the next one waits for its turn', () => {
  const line = createLine<number>()
  expect([line.firstOf('a'), line.nextSince()]).toEqual([undefined, null])
  for (const one of [1, 2, 3]) line.push('a', one, 10)
  line.push('b', 4, 20)
  expect([line.firstOf('a'), line.firstOf('b'), line.nextSince()]).toEqual([1, 4, 10])
  line.shift(30)
  expect([line.firstOf('a'), line.nextSince()]).toEqual([2, 20])
  line.shift(40)
  // It has had its turn at 30, however long its next request waits already.
  expect([line.firstOf('b'), line.nextSince(), line.length()]).toEqual([undefined, 30, 2])
})
