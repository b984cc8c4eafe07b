/** Finds the position of a JSON syntax error, because `JSON.parse` does not always report it. Also
 * checks text that is too large to parse.
 *
 * Walks the characters once, because a regular expression for each token blocked the process for
 * seconds on five million brackets.
 */
import { skipSpace } from './json-members.ts'
import { isDigit, scalarEnd } from './json-scalars.ts'
import { runSteps, stepCharacters } from './steps.ts'
import type { Steps } from './steps.ts'

const quote = 34
const comma = 44
const colon = 58
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125
const unicodeDigits = 4
const escapable = '"\\/bfnrt'

type Expected = 'value' | 'value_or_end' | 'name' | 'name_or_end' | 'colon' | 'comma_or_end' | 'end'

interface State {
  /** Current position, and the start of the current token. */
  at: number
  tokenAt: number
  isInString: boolean
  expected: Expected
  /** Number of values begun so far. */
  values: number
  /**
   * Number of open levels, possibly millions. `levels` holds 1 for an object and 0 for an array.
   */
  depth: number
  levels: Uint8Array
}

const levelsFirst = 64

/**
 * Returns the index of the first invalid token, the length of the text if more tokens must follow,
 * or null for valid JSON. An unfinished token is invalid, and so is a bracket nested deeper than
 * `depthMax`.
 */
export function syntaxErrorAt(text: string, depthMax: number): number | null {
  return runSteps(syntaxErrorSteps(text, depthMax))
}

/**
 * Works like `syntaxErrorAt`, but in steps. Also treats more than `valuesMax` values as an error.
 */
export function* syntaxErrorSteps(
  text: string,
  depthMax: number,
  valuesMax = Number.POSITIVE_INFINITY
): Steps<number | null> {
  const state: State = {
    values: 0,
    at: 0,
    tokenAt: 0,
    isInString: false,
    expected: 'value',
    depth: 0,
    levels: new Uint8Array(levelsFirst)
  }
  for (;;) {
    const isRight = walkSome(state, text, depthMax)
    if (!isRight || state.values > valuesMax) return state.tokenAt
    const isOver = state.at >= text.length && !state.isInString
    if (isOver) return state.expected === 'end' ? null : text.length
    yield
  }
}

/** Runs one step. Returns false at a token that is not allowed at its position. */
function walkSome(state: State, text: string, depthMax: number): boolean {
  const until = state.at + stepCharacters
  while (state.at < until) {
    if (!state.isInString) {
      state.tokenAt = state.at = skipSpace(text, state.at)
      if (state.at >= text.length) return true
      if (!walkToken(state, text) || state.depth > depthMax) return false
    }
    if (state.isInString && !walkString(state, text, until)) return false
  }
  return true
}

/**
 * Consumes one token, or only the opening quote of a string. Returns false if the token is not
 * allowed at its position.
 */
function walkToken(state: State, text: string): boolean {
  const code = text.charCodeAt(state.at)
  state.at += 1
  if (code === quote) return (state.isInString = acceptName(state) || acceptValue(state))
  const isTaken = takeMark(state, code)
  if (isTaken !== null) return isTaken
  if (!acceptValue(state)) return false
  state.at = scalarEnd(text, state.tokenAt)
  return state.at >= 0
}

/**
 * Consumes one punctuation mark. Returns false if it is not allowed at its position, and null if
 * the character is something else.
 */
function takeMark(state: State, code: number): boolean | null {
  switch (code) {
    case comma:
      return separate(state, 'comma_or_end', isInObject(state) ? 'name' : 'value')
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
  if (state.depth === state.levels.length) widen(state)
  state.levels[state.depth] = isObject ? 1 : 0
  state.depth += 1
  state.expected = isObject ? 'name_or_end' : 'value_or_end'
  return true
}

function close(state: State, isObject: boolean): boolean {
  const { expected } = state
  const first = isObject ? 'name_or_end' : 'value_or_end'
  if (state.depth === 0 || isInObject(state) !== isObject) return false
  if (expected !== 'comma_or_end' && expected !== first) return false
  state.depth -= 1
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
  state.values += 1
  return true
}

function afterValue({ depth }: State): Expected {
  return depth === 0 ? 'end' : 'comma_or_end'
}

function isInObject({ levels, depth }: State): boolean {
  return levels[depth - 1] === 1
}

function widen(state: State): void {
  const { levels } = state
  state.levels = new Uint8Array(2 * levels.length)
  state.levels.set(levels)
}

/**
 * Number of consecutive string characters without an escape after which a regular expression finds
 * the end faster than checking each character would.
 */
const plainCharactersMax = 64
/** A character that ends a string, begins an escape, or is not allowed. */
const notPlain = /["\\\u0000-\u001f]/

/**
 * Walks to the end of the string, or to `until`. Returns false at a character that is not allowed.
 */
function walkString(state: State, text: string, until: number): boolean {
  let index = state.at
  let plain = 0
  while (index < until && state.isInString) {
    const code = text.charCodeAt(index)
    // Rejects control characters. Also rejects NaN, which `charCodeAt` returns at the end of the
    // text.
    if (!(code >= 32)) return false
    plain = code === backslash ? 0 : plain + 1
    index = code === backslash ? escapeEnd(text, index) : index + 1
    if (index < 0) return false
    state.isInString = code !== quote
    if (plain === plainCharactersMax && state.isInString) index = plainEnd(text, index, until)
  }
  state.at = index
  return true
}

function plainEnd(text: string, at: number, until: number): number {
  const length = text.slice(at, until).search(notPlain)
  return length < 0 ? Math.min(until, text.length) : at + length
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

function isHex(code: number): boolean {
  const small = code | 32
  return isDigit(code) || (small >= 97 && small <= 102)
}
