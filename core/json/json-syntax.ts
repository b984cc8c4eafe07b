/** Where text stops being JSON. `JSON.parse` judges, this finds the place; it also judges what
 *  would be too much to parse.
 *
 * One walk over the characters: with an expression for each token, five million brackets held the
 * process up for seconds.
 */
import { skipSpace } from './json-members.ts'

const quote = 34
const plus = 43
const comma = 44
const minus = 45
const dot = 46
const zero = 48
const nine = 57
const colon = 58
const openBracket = 91
const backslash = 92
const closeBracket = 93
const underscore = 95
const openBrace = 123
const closeBrace = 125
const unicodeDigits = 4
const escapable = '"\\/bfnrt'
const literals = ['true', 'false', 'null']

type Expected = 'value' | 'value_or_end' | 'name' | 'name_or_end' | 'colon' | 'comma_or_end' | 'end'

interface State {
  expected: Expected
  /** For each level that is open whether it is an object. */
  readonly open: boolean[]
}

/** Index of the first character that cannot be part of a JSON text, or null when there is none. */
export function syntaxErrorAt(text: string, depthMax: number): number | null {
  const state: State = { expected: 'value', open: [] }
  let at = 0
  for (;;) {
    const start = skipSpace(text, at)
    if (start >= text.length) return state.expected === 'end' ? null : start
    const end = tokenEnd(state, text, start)
    if (end < 0 || state.open.length > depthMax) return start
    at = end
  }
}

/** Behind the token at `at`, or -1 when none may stand there. */
function tokenEnd(state: State, text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code === quote) return acceptName(state) || acceptValue(state) ? stringEnd(text, at) : -1
  const isTaken = takeMark(state, code)
  if (isTaken !== null) return isTaken ? at + 1 : -1
  return acceptValue(state) ? scalarEnd(text, at) : -1
}

/** Null when it is no mark at all. */
function takeMark(state: State, code: number): boolean | null {
  switch (code) {
    case comma:
      return separate(state, 'comma_or_end', state.open.at(-1) === true ? 'name' : 'value')
    case colon:
      return separate(state, 'colon', 'value')
    case openBrace:
    case openBracket:
      return open(state, code === openBrace)
    case closeBrace:
    case closeBracket:
      return close(state, code === closeBrace)
    default:
      return null
  }
}

function separate(state: State, expected: Expected, next: Expected): boolean {
  if (state.expected !== expected) return false
  state.expected = next
  return true
}

function open(state: State, isObject: boolean): boolean {
  if (!acceptValue(state)) return false
  state.open.push(isObject)
  state.expected = isObject ? 'name_or_end' : 'value_or_end'
  return true
}

function close(state: State, isObject: boolean): boolean {
  const { expected } = state
  const first = isObject ? 'name_or_end' : 'value_or_end'
  if (state.open.pop() !== isObject || (expected !== 'comma_or_end' && expected !== first)) {
    return false
  }
  state.expected = afterValue(state)
  return true
}

function acceptName(state: State): boolean {
  if (state.expected !== 'name' && state.expected !== 'name_or_end') return false
  state.expected = 'colon'
  return true
}

function acceptValue(state: State): boolean {
  if (state.expected !== 'value' && state.expected !== 'value_or_end') return false
  state.expected = afterValue(state)
  return true
}

function afterValue({ open: levels }: State): Expected {
  return levels.length === 0 ? 'end' : 'comma_or_end'
}

/** Behind the string that opens at `at`, or -1 when something in it is not allowed. */
function stringEnd(text: string, at: number): number {
  let index = at + 1
  for (;;) {
    const code = text.charCodeAt(index)
    if (code === quote) return index + 1
    if (code === backslash) {
      index = escapeEnd(text, index)
      if (index < 0) return -1
    } else if (code >= 32) index += 1
    // A control character, or the end of the text, which is no number at all.
    else return -1
  }
}

function escapeEnd(text: string, at: number): number {
  const letter = text.charAt(at + 1)
  if (letter !== 'u') return letter !== '' && escapable.includes(letter) ? at + 2 : -1
  const end = at + 2 + unicodeDigits
  for (let index = at + 2; index < end; index++) {
    if (!isHex(text.charCodeAt(index))) return -1
  }
  return end
}

/** Behind the number or the name of a value at `at`, or -1 when it is neither. */
function scalarEnd(text: string, at: number): number {
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

function isDigit(code: number): boolean {
  return code >= zero && code <= nine
}

function isHex(code: number): boolean {
  const small = code | 32
  return isDigit(code) || (small >= 97 && small <= 102)
}

function isWord(code: number): boolean {
  const small = code | 32
  return isDigit(code) || (small >= 97 && small <= 122) || code === underscore
}
