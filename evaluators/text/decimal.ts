/** Decimals: represents JSON numbers that a double cannot hold, and compares them digit by digit.
 */

/**
 * Matches numbers that have an exponent, or at least 16 characters including sign and point. A
 * double preserves the digits of all other numbers.
 */
const longNumber = /[\d.eE+-]{16}|\d[eE]/

/** Checks whether a JSON text may contain a number that loses digits as a double. */
export function isDecimalNeeded(json: string): boolean {
  return json.length > 2 && longNumber.test(json)
}

/** A number in canonical form: `1e2`, `100` and `100.0` all become `1e2`. */
export class Decimal {
  readonly text: string

  /** @param json a JSON number */
  constructor(json: string) {
    this.text = canonical(json)
  }
}

/** Checks whether two numbers are equal. Each is a double or a decimal. */
export function isSameNumber(one: number | Decimal, other: number | Decimal): boolean {
  if (typeof one === 'number' && typeof other === 'number') return one === other
  return textOf(one) === textOf(other)
}

function textOf(number: number | Decimal): string {
  return typeof number === 'number' ? canonical(String(number)) : number.text
}

const exponentDigitsMax = 100
const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

function canonical(json: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts.exec(json) ?? []
  const digits = withoutLeadingZeros(whole + fraction)
  if (digits === '') return '0'
  const short = withoutTrailingZeros(digits)
  // Exponents this long are not computed. Such numbers are equal only if they are written
  // identically.
  if (exponent.length > exponentDigitsMax) return `${sign}${whole}.${fraction}e${exponent}`
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - short.length)
  return `${sign}${short}e${power}`
}

function withoutLeadingZeros(digits: string): string {
  let start = 0
  while (digits.charAt(start) === '0') start += 1
  return digits.slice(start)
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length
  while (digits.charAt(end - 1) === '0') end -= 1
  return digits.slice(0, end)
}
