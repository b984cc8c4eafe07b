/** Whether a number as it is written has no fraction: read as a double, a small one is gone. */

const parts = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
const zero = 48

/** @param literal a number in JSON; anything else is no whole number */
export function isWholeNumber(literal: string): boolean {
  const [, integer, fraction = '', exponent = '0'] = parts.exec(literal) ?? []
  if (integer === undefined) return false
  const digits = integer + fraction
  let end = digits.length
  while (end > 0 && digits.charCodeAt(end - 1) === zero) end--
  // Of the digits up to the last that is not 0, so many are behind the point.
  return end === 0 || fraction.length - (digits.length - end) <= Number(exponent)
}
