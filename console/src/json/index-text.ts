/** Finds the display lines of a text without changing it or creating values from it. JSON has one
 * line for each member and item, one for the closing bracket of each object or array that is not
 * empty, and more for a token that does not fit on one line.
 */
import { skipSpace } from '../../../core/json/json-members.ts'
import { syntaxErrorSteps } from '../../../core/json/json-syntax.ts'
import { stepCharacters } from '../../../core/json/steps.ts'
import type { Steps } from '../../../core/json/steps.ts'
import { addLine, createLines, indentOf, linesMax, lineStart, startOf } from './display-lines.ts'
import type { DisplayLines, GrowingLines } from './display-lines.ts'

const newLine = 10
const quote = 34
const comma = 44
const colon = 58
const openBracket = 91
const backslash = 92
const closeBracket = 93
const letterU = 117
const openBrace = 123
const closeBrace = 125

/** Maximum depth of JSON. Deeper JSON is shown as plain text. The gateway accepts 64 levels. */
const depthMax = 250

export interface TextIndex {
  readonly lines: DisplayLines
  /** Whether the lines are those of JSON, which can be folded. */
  readonly isJson: boolean
}

/**
 * Finds the lines of a text: of JSON, or of any text if `isRaw` is set, if it is invalid or very
 * deep JSON, or if it has more than `linesMax` lines as JSON.
 */
export function* indexText(text: string, columns: number, isRaw = false): Steps<TextIndex> {
  const isJson = !isRaw && (yield* syntaxErrorSteps(text, depthMax)) === null
  const json = isJson ? yield* indexJson(text, columns) : null
  return { lines: json ?? (yield* indexRaw(text, columns)), isJson: json !== null }
}

/** Finds the lines of any text: they end after a line break, or where the line is full. */
export function* indexRaw(text: string, columns: number): Steps<DisplayLines> {
  // Full lines may use half of `linesMax`, so a text of many megabytes gets wider lines.
  const width = Math.max(columns, 2 + Math.ceil((2 * text.length) / linesMax))
  const lines = createLines(text, width)
  addLine(lines, 0, lineStart.whole)
  for (let at = 0; at < text.length; yield) {
    const until = Math.min(at + stepCharacters, text.length)
    while (at < until) at = walkCharacter(lines, at)
  }
  return lines
}

function walkCharacter(lines: GrowingLines, at: number): number {
  const { text, columns } = lines
  const code = text.charCodeAt(at)
  const end = at + characterSize(text, at, code)
  if (end - startOf(lines, lines.count - 1) > columns) addLine(lines, at, lineStart.text)
  if (code === newLine && 2 * lines.count < linesMax) addLine(lines, end, lineStart.whole)
  return end
}

/** Returns 2 for a pair of surrogates, which stays on one line, else 1. */
function characterSize(text: string, at: number, code: number): number {
  const isHigh = code >= 0xd800 && code <= 0xdbff
  return isHigh && text.charCodeAt(at + 1) >> 10 === 0xdc00 >> 10 ? 2 : 1
}

interface Walk {
  readonly lines: GrowingLines
  at: number
  /** Number of characters on the current line, including the indentation. */
  column: number
  /** The lines of the open brackets. */
  readonly open: number[]
}

/** Returns null for more than `linesMax` lines. */
function* indexJson(text: string, columns: number): Steps<DisplayLines | null> {
  const lines = createLines(text, columns)
  const walk: Walk = { lines, at: 0, column: 0, open: [] }
  beginLine(walk, lineStart.whole)
  for (; walk.at < text.length && lines.count <= linesMax; yield) {
    const until = Math.min(walk.at + stepCharacters, text.length)
    while (walk.at < until) walkPart(walk)
  }
  return lines.count > linesMax ? null : lines
}

function beginLine(walk: Walk, kind: number): void {
  addLine(walk.lines, walk.at, kind)
  walk.column = indentOf(walk.lines.depth, walk.lines.columns)
}

/** Walks over whitespace, one mark or one token. */
function walkPart(walk: Walk): void {
  const { text } = walk.lines
  const code = text.charCodeAt(walk.at)
  if (code <= 32) walk.at = skipSpace(text, walk.at)
  else if (code === openBrace || code === openBracket) open(walk, code)
  else if (code === closeBrace || code === closeBracket) close(walk)
  else if (code !== comma && code !== colon) walkToken(walk, code === quote)
  else {
    walk.at += 1
    if (code === comma) beginLine(walk, lineStart.whole)
    else walk.column += 2
  }
}

function open(walk: Walk, code: number): void {
  const { lines, at } = walk
  const next = skipSpace(lines.text, at + 1)
  // The code of a closing bracket is two greater than that of its opening bracket. `{}` needs no
  // second line.
  if (lines.text.charCodeAt(next) === code + 2) {
    walk.at = next + 1
    walk.column += 2
    return
  }
  walk.open.push(lines.count - 1)
  lines.depth += 1
  walk.at += 1
  beginLine(walk, lineStart.whole)
}

function close(walk: Walk): void {
  const { lines } = walk
  const opening = walk.open.pop() ?? 0
  lines.depth -= 1
  lines.pairs[opening] = lines.count
  beginLine(walk, lineStart.whole)
  lines.pairs[lines.count - 1] = opening
  walk.at += 1
}

/** Walks over a string, number or literal. Begins lines on the way. */
function walkToken(walk: Walk, isString: boolean): void {
  const { lines } = walk
  const { text, columns } = lines
  const first = lines.count
  for (let size = 1; ;) {
    walk.at += size
    walk.column += size
    const code = text.charCodeAt(walk.at)
    if (isString ? code === quote : endsScalar(code)) break
    size = code === backslash ? escapeSize(text, walk.at) : characterSize(text, walk.at, code)
    if (walk.column + size <= columns) continue
    beginLine(walk, isString ? lineStart.string : lineStart.scalar)
  }
  if (isString) walk.at += 1
  const isName = text.charCodeAt(skipSpace(text, walk.at)) === colon
  if (isName) lines.kinds.fill(lineStart.name, first, lines.count)
}

function endsScalar(code: number): boolean {
  return !(code > 32) || code === comma || code === closeBrace || code === closeBracket
}

/** Returns the length of the escape, which stays on one line. */
function escapeSize(text: string, at: number): number {
  return text.charCodeAt(at + 1) === letterU ? 6 : 2
}
