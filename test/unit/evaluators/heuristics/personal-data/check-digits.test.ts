/** Tests the check digits of account numbers. */
import { expect, test } from '@jest/globals'
import { isLuhn, isMod97 } from '../../../../../evaluators/heuristics/personal-data/check-digits.ts'

test.each(['4111111111111111', '378282246310005', '30569309025904', '6011111111111117', '0'])(
  'accepts %s (Luhn)',
  (digits) => {
    expect(isLuhn(digits)).toBe(true)
  }
)

test.each(['4111111111111112', '4111111111111121', '1'])('rejects %s (Luhn)', (digits) => {
  expect(isLuhn(digits)).toBe(false)
})

test.each([
  'DE89370400440532013000',
  'GB29NWBK60161331926819',
  'FR1420041010050500013M02606',
  'MT84MALT011000012345MTLCAST001S'
])('accepts %s (mod 97)', (account) => {
  expect(isMod97(account)).toBe(true)
})

test.each(['DE89370400440532013001', 'DE98370400440532013000', 'GB29NWBK60161331926891'])(
  'rejects %s (mod 97)',
  (account) => {
    expect(isMod97(account)).toBe(false)
  }
)
