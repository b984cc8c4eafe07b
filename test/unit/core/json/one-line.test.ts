/** JSON text on one line. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { oneLine } from '../../../../core/json/one-line.ts'

test('line breaks and what is around them go, and numbers and texts stay', () => {
  const json =
    '{\r\n\t"n": 12345678901234567890,\n "1e400": [ 1e400, -0.0 ],\n "s": "a \\n \\" b\\\\"}'
  expect(oneLine(json)).toBe(
    '{"n":12345678901234567890,"1e400":[1e400,-0.0],"s":"a \\n \\" b\\\\"}'
  )
})

test('what is on one line already stays as it is', () => {
  expect(oneLine('{ "a" : [1, 2] }')).toBe('{ "a" : [1, 2] }')
  expect(oneLine('"\u2028"')).toBe('"\u2028"')
})

test('any JSON keeps its meaning', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('\n', '\r\n', ' \n\t'), (value, indent) => {
      const line = oneLine(JSON.stringify(value, null, 2).replaceAll('\n', indent))
      expect(line).not.toMatch(/[\n\r]/)
      expect(line).toBe(oneLine(line))
      expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)))
    })
  )
})
