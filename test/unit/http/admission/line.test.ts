/** Callers take turns; of one caller first in, first out, however pushes and shifts are mixed. */
import { expect, test } from '@jest/globals'
import { createLine } from '../../../../http/admission/line.ts'

test('of one caller who came first leaves first, also when others come in between', () => {
  const line = createLine<number>()
  const left: (number | undefined)[] = []
  line.push('a', 1)
  line.push('a', 2)
  left.push(line.shift())
  line.push('a', 3)
  left.push(line.shift())
  line.push('a', 4)
  left.push(line.shift(), line.shift(), line.shift())
  expect(left).toEqual([1, 2, 3, 4, undefined])
})

test('who comes alone does not wait for all of who came a hundred times', () => {
  const line = createLine<string>()
  for (let index = 0; index < 100; index++) line.push('loud', `loud ${index}`)
  line.push('quiet', 'quiet 0')
  line.push('other', 'other 0')
  const left = Array.from({ length: 5 }, () => line.shift())
  expect(left).toEqual(['loud 0', 'quiet 0', 'other 0', 'loud 1', 'loud 2'])
  expect(line.length()).toBe(97)
})

test('its length counts everybody, and it knows who is next of all and of each', () => {
  const line = createLine<number>()
  for (const one of [1, 2, 3]) line.push('a', one)
  line.push('b', 4)
  expect([line.first(), line.first('a'), line.first('b')]).toEqual([1, 1, 4])
  line.shift()
  expect([line.first(), line.first('a'), line.first('nobody')]).toEqual([4, 2, undefined])
  expect(line.length()).toBe(3)
})
