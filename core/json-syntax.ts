/** Where text stops being JSON. Only error paths come here: `JSON.parse` judges, this finds the
 *  place. */

const space = /[ \t\r\n]*/y
const token = new RegExp(
  [
    String.raw`[[\]{}:,]`,
    String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])`,
    String.raw`(?:true|false|null)(?!\w)`
  ].join('|'),
  'y'
)
/** Strings go piece by piece: one expression for all of a long one would exhaust the stack. */
const plainText = /[^"\\\u0000-\u001f]+/y
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

type Expected = 'value' | 'value_or_end' | 'name' | 'name_or_end' | 'colon' | 'comma_or_end' | 'end'

interface State {
  expected: Expected
  readonly open: string[]
}

/** Index of the first character that cannot be part of a JSON text, or null when there is none. */
export function syntaxErrorAt(text: string, depthMax: number): number | null {
  const state: State = { expected: 'value', open: [] }
  let at = 0
  for (;;) {
    const start = endOf(space, text, at) ?? at
    if (start >= text.length) return state.expected === 'end' ? null : start
    const end = text.charCodeAt(start) === 34 ? stringEnd(text, start) : endOf(token, text, start)
    if (end === null || !accept(state, text.slice(start, end), depthMax)) return start
    at = end
  }
}

/** Behind the string that opens at `at`, or null when something in it is not allowed. */
function stringEnd(text: string, at: number): number | null {
  let index = at + 1
  while (text.charCodeAt(index) !== 34) {
    const next = endOf(plainText, text, index) ?? endOf(escapeSequence, text, index)
    if (next === null) return null
    index = next
  }
  return index + 1
}

/** Where a match that begins exactly at `at` ends, or null. */
function endOf(sticky: RegExp, text: string, at: number): number | null {
  sticky.lastIndex = at
  return sticky.test(text) ? sticky.lastIndex : null
}

function accept(state: State, lexeme: string, depthMax: number): boolean {
  if (lexeme === '}' || lexeme === ']') return close(state, lexeme)
  if (lexeme === ':') return move(state, state.expected === 'colon', 'value')
  if (lexeme === ',') {
    const next = state.open.at(-1) === '{' ? 'name' : 'value'
    return move(state, state.expected === 'comma_or_end', next)
  }
  if (state.expected === 'name' || state.expected === 'name_or_end') {
    return move(state, lexeme.startsWith('"'), 'colon')
  }
  return acceptValue(state, lexeme, depthMax)
}

function acceptValue(state: State, lexeme: string, depthMax: number): boolean {
  const { expected, open } = state
  if (expected !== 'value' && expected !== 'value_or_end') return false
  if (lexeme !== '{' && lexeme !== '[') return move(state, true, afterValue(open))
  open.push(lexeme)
  return move(state, open.length <= depthMax, lexeme === '{' ? 'name_or_end' : 'value_or_end')
}

function close(state: State, lexeme: string): boolean {
  const opener = state.open.pop()
  const mayEnd = state.expected.endsWith('_end') && state.expected !== 'end'
  return move(state, mayEnd && opener === (lexeme === '}' ? '{' : '['), afterValue(state.open))
}

function move(state: State, isAllowed: boolean, next: Expected): boolean {
  state.expected = next
  return isAllowed
}

function afterValue(open: readonly string[]): Expected {
  return open.length === 0 ? 'end' : 'comma_or_end'
}
