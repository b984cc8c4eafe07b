/** Cuts one visible line into pieces for display: by token, by match and by character name. */
import { skipSpace } from '../../../core/json/json-members.ts'
import { lineStart, startOf } from './display-lines.ts'
import type { DisplayLines } from './display-lines.ts'
import { firstMatchAfter } from './find.ts'
import type { Found } from './find.ts'
import { nameUnseen } from './named-characters.ts'
import type { NamedText } from './named-characters.ts'

type TokenKind = 'name' | 'string' | 'scalar' | 'mark' | 'text'

export interface Token {
  readonly kind: TokenKind
  readonly start: number
  readonly end: number
}

export interface Piece extends NamedText {
  readonly kind: TokenKind
  /** The index of the match to which the piece belongs, or -1. */
  readonly match: number
}

const token = /"(?:[^"\\]|\\[^])*"?|[{}[\],:]|[^ \n\r\t"{}[\],:]+/g
const stringRest = /^(?:[^"\\]|\\[^])*"?/
const scalarRest = /^[^ \n\r\t\]},]*/

/** Returns the tokens of a line of JSON, without the white space between them. */
export function tokensOf(lines: DisplayLines, line: number): Token[] {
  const start = startOf(lines, line)
  const slice = lines.text.slice(start, startOf(lines, line + 1))
  const rest = restOf(slice, lines.kinds[line])
  const tokens: Token[] =
    rest === '' ? [] : [{ kind: restKind(lines.kinds[line]), start, end: start + rest.length }]
  for (const { 0: text, index } of slice.slice(rest.length).matchAll(token)) {
    const at = start + rest.length + index
    const end = at + text.length
    tokens.push({ kind: kindOf(lines, line, { start: at, end }), start: at, end })
  }
  return tokens
}

/** Returns the part of the line that belongs to a token of the line before. */
function restOf(slice: string, kind: number | undefined): string {
  if (kind === lineStart.whole) return ''
  return (kind === lineStart.scalar ? scalarRest : stringRest).exec(slice)?.[0] ?? ''
}

function restKind(kind: number | undefined): TokenKind {
  if (kind === lineStart.name) return 'name'
  return kind === lineStart.scalar ? 'scalar' : 'string'
}

type Range = Omit<Token, 'kind'>

function kindOf(lines: DisplayLines, line: number, { start, end }: Range): TokenKind {
  const { text, kinds } = lines
  if ('{}[],:'.includes(text.charAt(start))) return 'mark'
  if (text.charAt(start) !== '"') return 'scalar'
  const next = end === startOf(lines, line + 1) ? kinds[line + 1] : lineStart.whole
  if (next === lineStart.name || next === lineStart.string) return restKind(next)
  return text[skipSpace(text, end)] === ':' ? 'name' : 'string'
}

/** Returns the whole line as one token. */
export function textOf(lines: DisplayLines, line: number): Token[] {
  return [{ kind: 'text', start: startOf(lines, line), end: startOf(lines, line + 1) }]
}

/** Cuts tokens at the ends of matches and of characters that cannot be seen. */
export function piecesOf(text: string, tokens: readonly Token[], found: Found): Piece[] {
  return tokens.flatMap(({ kind, start, end }) =>
    matchesIn(found, start, end).flatMap((range) =>
      nameUnseen(text.slice(range.start, range.end)).map((named) => ({
        ...named,
        kind,
        match: range.match
      }))
    )
  )
}

/** More matches in one token would be slow to draw. The ones near the current match are marked. */
const matchesMax = 8

/** Divides a range of the text into parts that are in one match or in none. */
function matchesIn(found: Found, start: number, end: number): (Range & { match: number })[] {
  const parts: (Range & { match: number })[] = []
  const first = firstMatchAfter(found, start)
  const isNear = found.current > first && (found.starts[found.current] ?? end) < end
  let match = isNear ? Math.max(first, found.current - matchesMax / 2) : first
  const last = match + matchesMax
  for (let at = start; at < end;) {
    const next = match < last ? (found.starts[match] ?? end) : end
    const isMatch = next <= at
    const partEnd = Math.min(end, isMatch ? next + found.length : next)
    parts.push({ start: at, end: partEnd, match: isMatch ? match : -1 })
    if (isMatch) match += 1
    at = partEnd
  }
  return parts
}
