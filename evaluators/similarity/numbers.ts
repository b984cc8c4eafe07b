/** Extracts the only number in a text, and compares numbers within a tolerance. */
import { Decimal, isSameNumber } from '../text/decimal.ts'

const textCharactersMax = 10_000
/** Number with an optional sign, comma separators, fraction and exponent. */
export const numberPattern =
  /(?<![\w.,])[-+−]?(?:\d{1,3}(?:,\d{3}){1,10}|\d{1,400})(?:\.\d{1,400})?(?:[eE][-+]?\d{1,4})?(?![\w]|[.,]\d)/g

/**
 * Returns the only number in a text, in JSON notation, or null if the text is too long or does not
 * contain exactly one number.
 */
export function onlyNumberIn(text: string): string | null {
  if (text.length > textCharactersMax) return null
  const found = text.match(numberPattern) ?? []
  const [first] = found
  if (first === undefined || found.length > 1) return null
  return first.replaceAll(',', '').replace('−', '-').replace(/^\+/, '')
}

/** Relative error allowed for calculations with doubles. */
const slack = 1e-12

/**
 * Compares two numbers. Without a tolerance, compares digit by digit, because different numbers can
 * be equal as doubles.
 */
export function isNumberNear(one: string, other: string, tolerance: number): boolean {
  if (tolerance === 0) return isSameNumber(new Decimal(one), new Decimal(other))
  const [a, b] = [Number(one), Number(other)]
  return Math.abs(a - b) <= tolerance + Math.max(Math.abs(a), Math.abs(b)) * slack
}
