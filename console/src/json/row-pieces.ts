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

/** Returns the tokens of a line of JSON, without the whitespace between them. */
export function tokensOf(lines: DisplayLines, line: number): Token[] {
  const [start, lineEnd] = [startOf(lines, line), startOf(lines, line + 1)]
  const [kind, nextKind] = [lines.kinds[line], lines.kinds[line + 1]]
  // Adds a quote before the rest of a string, so that the expression matches it as a string.
  const cut = kind === lineStart.name || kind === lineStart.string ? '"' : ''
  const slice = cut + lines.text.slice(start, lineEnd)
  return Array.from(slice.matchAll(token), ({ 0: text, index }) => {
    const at = start + index - cut.length
    const end = at + text.length
    const known = at < start ? kind : end === lineEnd ? nextKind : lineStart.whole
    return {
      kind: kindOf(text, known, lines.text[skipSpace(lines.text, end)]),
      start: Math.max(start, at),
      end
    }
  })
}

/** @param known the kind of the line that continues the token, or `lineStart.whole` */
function kindOf(text: string, known: number | undefined, next: string | undefined): TokenKind {
  if ('{}[],:'.includes(text)) return 'mark'
  if (!text.startsWith('"')) return 'scalar'
  if (known === lineStart.string) return 'string'
  return known === lineStart.name || next === ':' ? 'name' : 'string'
}

/** Returns the whole line as one token. */
export function textOf(lines: DisplayLines, line: number): Token[] {
  return [{ kind: 'text', start: startOf(lines, line), end: startOf(lines, line + 1) }]
}

/** Cuts tokens at the boundaries of matches and of runs of invisible characters. */
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

/**
 * Maximum number of matches marked in one token, because more would be slow to draw. If the current
 * match is in the token, the matches around it are marked, otherwise the first ones.
 */
const matchesMax = 8

/** Divides a range of the text into parts, each within one match or outside of all matches. */
function matchesIn(found: Found, start: number, end: number) {
  const parts: { start: number; end: number; match: number }[] = []
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
