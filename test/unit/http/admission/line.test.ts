/** First in, first out, however pushes and shifts are mixed. */
import { expect, test } from '@jest/globals'
import { createLine } from '../../../../http/admission/line.ts'

test('who came first leaves first, also when others come in between', () => {
  const line = createLine<number>()
  const left: (number | undefined)[] = []
  line.push(1)
  line.push(2)
  left.push(line.shift())
  line.push(3)
  left.push(line.shift())
  line.push(4)
  left.push(line.shift(), line.shift(), line.shift())
  expect(left).toEqual([1, 2, 3, 4, undefined])
})

test('its length counts everybody', () => {
  const line = createLine<number>()
  for (const one of [1, 2, 3]) line.push(one)
  line.shift()
  line.push(4)
  expect(line.length()).toBe(3)
  expect(line.first()).toBe(2)
})
