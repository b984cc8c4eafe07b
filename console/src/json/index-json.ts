/** Finds the display lines of valid JSON: one for each member, item and bracket, and more for a
 * string, number or name that is longer than a line.
 */
import { skipSpace } from '../../../core/json/json-members.ts'
import { stepCharacters } from '../../../core/json/steps.ts'
import type { Steps } from '../../../core/json/steps.ts'
import {
  addLine,
  characterSize,
  createLines,
  indentOf,
  linesMax,
  lineStart
} from './display-lines.ts'
import type { DisplayLines } from './display-lines.ts'

const quote = 34
const comma = 44
const colon = 58
const openBracket = 91
const backslash = 92
const closeBracket = 93
const letterU = 117
const openBrace = 123
const closeBrace = 125

interface Walk {
  readonly text: string
  readonly lines: ReturnType<typeof createLines>
  at: number
  /** End of the current step. */
  until: number
  /** The kind of the token that is not finished, or `lineStart.whole`. */
  token: number
  /** Number of characters on the current line, including the indentation. */
  column: number
  expectsName: boolean
  /** The lines of the open brackets, and whether each is a brace. */
  readonly open: number[]
  readonly isObject: boolean[]
}

/** Returns null for more than `linesMax` lines. */
export function* indexJson(text: string, columns: number): Steps<DisplayLines | null> {
  const lines = createLines(text, columns)
  const walk: Walk = {
    text,
    lines,
    at: 0,
    until: 0,
    token: lineStart.whole,
    column: 0,
    expectsName: false,
    open: [],
    isObject: []
  }
  beginLine(walk, 0, lineStart.whole)
  while (walk.at < text.length && lines.count <= linesMax) {
    walk.until = Math.min(text.length, walk.at + stepCharacters)
    while (walk.at < walk.until) {
      if (walk.token === lineStart.whole) walkMark(walk)
      else walkToken(walk)
    }
    yield
  }
  return lines.count > linesMax ? null : lines
}

function beginLine(walk: Walk, at: number, kind: number): void {
  addLine(walk.lines, at, kind)
  walk.column = indentOf(walk.lines.depth, walk.lines.columns)
}

/** Walks over one mark or white space, or begins a token. */
function walkMark(walk: Walk): void {
  const code = walk.text.charCodeAt(walk.at)
  if (code === quote) beginToken(walk, walk.expectsName ? lineStart.name : lineStart.string)
  else if (code === openBrace || code === openBracket) open(walk, code)
  else if (code === closeBrace || code === closeBracket) close(walk)
  else if (code === comma) endItem(walk)
  else if (code === colon) endName(walk)
  else if (code > 32) beginToken(walk, lineStart.scalar)
  else walk.at = skipSpace(walk.text, walk.at)
}

function open(walk: Walk, code: number): void {
  const { text, lines, at } = walk
  const next = skipSpace(text, at + 1)
  // Each closing bracket is two characters after its opening one. `{}` needs no second line.
  if (text.charCodeAt(next) === code + 2) {
    walk.at = next + 1
    walk.column += 2
    return
  }
  walk.open.push(lines.count - 1)
  walk.isObject.push(code === openBrace)
  walk.expectsName = code === openBrace
  lines.depth += 1
  walk.at += 1
  beginLine(walk, walk.at, lineStart.whole)
}

function close(walk: Walk): void {
  const { lines } = walk
  const opening = walk.open.pop() ?? 0
  walk.isObject.pop()
  lines.depth -= 1
  lines.pairs[opening] = lines.count
  beginLine(walk, walk.at, lineStart.whole)
  lines.pairs[lines.count - 1] = opening
  walk.at += 1
}

function endItem(walk: Walk): void {
  walk.at += 1
  walk.expectsName = walk.isObject.at(-1) === true
  beginLine(walk, walk.at, lineStart.whole)
}

function endName(walk: Walk): void {
  walk.at += 1
  walk.column += 2
  walk.expectsName = false
}

function beginToken(walk: Walk, kind: number): void {
  walk.token = kind
  walk.at += 1
  walk.column += 1
}

/** Walks to the end of the string, number or literal, or of the step. Begins lines on the way. */
function walkToken(walk: Walk): void {
  const { text, lines, token, until } = walk
  const isString = token !== lineStart.scalar
  while (walk.at < until) {
    const code = text.charCodeAt(walk.at)
    if (isString ? code === quote : endsScalar(code)) {
      walk.token = lineStart.whole
      if (isString) walk.at += 1
      return
    }
    const size = code === backslash ? escapeSize(text, walk.at) : characterSize(text, walk.at, code)
    if (walk.column + size > lines.columns) beginLine(walk, walk.at, token)
    walk.at += size
    walk.column += size
  }
}

function endsScalar(code: number): boolean {
  return !(code > 32) || code === comma || code === closeBrace || code === closeBracket
}

/** An escape stays on one line. */
function escapeSize(text: string, at: number): number {
  return text.charCodeAt(at + 1) === letterU ? 6 : 2
}
