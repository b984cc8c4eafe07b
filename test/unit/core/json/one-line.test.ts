/** Tests that the lines of a JSON text are joined. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { oneLine } from '../../../../core/json/one-line.ts'

test('removes line breaks with their space and keeps numbers and texts', () => {
  const json =
    '{\r\n\t"n": 12345678901234567890,\n "1e400": [ 1e400, -0.0 ],\n "s": "a \\n \\" b\\\\"}'
  expect(oneLine(json)).toBe(
    '{"n":12345678901234567890,"1e400":[1e400,-0.0],"s":"a \\n \\" b\\\\"}'
  )
})

test('keeps a text that is already on one line', () => {
  expect(oneLine('{ "a" : [1, 2] }')).toBe('{ "a" : [1, 2] }')
  expect(oneLine('"\u2028"')).toBe('"\u2028"')
})

test('keeps the value of any JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('\n', '\r\n', ' \n\t'), (value, indent) => {
      const line = oneLine(JSON.stringify(value, null, 2).replaceAll('\n', indent))
      expect(line).not.toMatch(/[\n\r]/)
      expect(line).toBe(oneLine(line))
      expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)))
    })
  )
})
