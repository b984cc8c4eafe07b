/** The number that an answer gives, however it is written around. */
import { Decimal, isSameNumber } from '../text/decimal.ts'

const textCharactersMax = 10_000
/** Digits with thousands marked by commas or not, a fraction, an exponent. */
export const numberPattern =
  /(?<![\w.,])[-+−]?(?:\d{1,3}(?:,\d{3}){1,10}|\d{1,400})(?:\.\d{1,400})?(?:[eE][-+]?\d{1,4})?(?![\w]|[.,]\d)/g

/** The only number in a text as JSON would write it, or null: there is none, or several. */
export function onlyNumberIn(text: string): string | null {
  if (text.length > textCharactersMax) return null
  const found = text.match(numberPattern) ?? []
  const [first] = found
  if (first === undefined || found.length > 1) return null
  return first.replaceAll(',', '').replace('−', '-').replace(/^\+/, '')
}

/** Doubles are a little off: one in ten times a tenth is not one. */
const slack = 1e-12

/** With no tolerance digit for digit, so that a number of twenty digits is told from the next. */
export function isNumberNear(one: string, other: string, tolerance: number): boolean {
  if (tolerance === 0) return isSameNumber(new Decimal(one), new Decimal(other))
  const [a, b] = [Number(one), Number(other)]
  return Math.abs(a - b) <= tolerance + Math.max(Math.abs(a), Math.abs(b)) * slack
}
