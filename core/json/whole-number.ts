/** Checks whether a number literal is whole, without converting it to a double, which would lose a
 * small fraction.
 */

const parts = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
const zero = 48

/** @param literal a JSON number; the result is false for anything else */
export function isWholeNumber(literal: string): boolean {
  const [, integer, fraction = '', exponent = '0'] = parts.exec(literal) ?? []
  if (integer === undefined) return false
  const digits = integer + fraction
  let end = digits.length
  while (end > 0 && digits.charCodeAt(end - 1) === zero) end--
  // The left side is the number of digits after the decimal point, without trailing zeros.
  return end === 0 || fraction.length - (digits.length - end) <= Number(exponent)
}
