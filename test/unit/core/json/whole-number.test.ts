/** Tests which JSON numbers are whole, in all notations. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isWholeNumber } from '../../../../core/json/whole-number.ts'

test.each(['0', '-0', '7', '9007199254740991', '1.0', '-2.000', '1e3', '1.5e1', '10e-1', '0e-9'])(
  '%s is whole',
  (literal) => expect(isWholeNumber(literal)).toBe(true)
)

test.each([
  ...['0.5', '-1.25', '1e-1', '15e-1', '1.55e1', '9007199254740991.4', '1e-400'],
  ...['1.0000000000000000001', `0.${'0'.repeat(400)}1`, '', '-', 'true', '"1"', 'null', '1.']
])('%s is not whole', (literal) => expect(isWholeNumber(literal)).toBe(false))

test('a double is whole if it is an integer', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(isWholeNumber(JSON.stringify(number))).toBe(Number.isInteger(number))
    })
  )
})

test('handles a million digits quickly', () => {
  expect(isWholeNumber(`1${'0'.repeat(1_000_000)}`)).toBe(true)
  expect(isWholeNumber(`0.${'0'.repeat(1_000_000)}1`)).toBe(false)
})
