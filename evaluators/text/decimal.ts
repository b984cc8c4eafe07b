/** Numbers of JSON that a double cannot hold, compared digit for digit. */

/** A double keeps every number of fifteen characters, sign and point among them. */
const longNumber = /[\d.eE+-]{16}|\d[eE]/

/** Whether a JSON text may hold a number that loses digits as a double. */
export function isDecimalNeeded(json: string): boolean {
  return json.length > 2 && longNumber.test(json)
}

/** A number in the one form that all its spellings share: `1e2`, `100` and `100.0` are `1e2`. */
export class Decimal {
  readonly text: string

  /** @param json a number as JSON writes it */
  constructor(json: string) {
    this.text = canonical(json)
  }
}

/** Whether two numbers, each a double or a decimal, are the same. */
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
  // Nobody counts so far; then only what is written alike is the same.
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
