/** Finds the end of a JSON number, or of true, false or null. */

const plus = 43
const minus = 45
const dot = 46
const zero = 48
const nine = 57
const underscore = 95
const literals = ['true', 'false', 'null']

/** Returns the index after the number or literal at `at`, or -1 if there is neither. */
export function scalarEnd(text: string, at: number): number {
  const first = text.charCodeAt(at)
  const isNumber = first === minus || isDigit(first)
  const end = isNumber ? numberEnd(text, at) : literalEnd(text, at)
  const next = text.charCodeAt(end)
  return end < 0 || isWord(next) || (next === dot && isNumber) ? -1 : end
}

function literalEnd(text: string, at: number): number {
  const literal = literals.find((each) => text.startsWith(each, at))
  return literal === undefined ? -1 : at + literal.length
}

function numberEnd(text: string, at: number): number {
  const start = text.charCodeAt(at) === minus ? at + 1 : at
  const whole = text.charCodeAt(start) === zero ? start + 1 : digitsEnd(text, start)
  if (whole === start) return -1
  const fraction = text.charCodeAt(whole) === dot ? digitsEnd(text, whole + 1) : whole
  if (fraction === whole + 1) return -1
  return exponentEnd(text, fraction)
}

function exponentEnd(text: string, at: number): number {
  if ((text.charCodeAt(at) | 32) !== 101) return at
  const sign = text.charCodeAt(at + 1)
  const start = sign === plus || sign === minus ? at + 2 : at + 1
  const end = digitsEnd(text, start)
  return end === start ? -1 : end
}

function digitsEnd(text: string, at: number): number {
  let index = at
  while (isDigit(text.charCodeAt(index))) index += 1
  return index
}

export function isDigit(code: number): boolean {
  return code >= zero && code <= nine
}

function isWord(code: number): boolean {
  const small = code | 32
  return isDigit(code) || (small >= 97 && small <= 122) || code === underscore
}
