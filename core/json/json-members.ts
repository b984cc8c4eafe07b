/** Finds the members of a JSON object in its text, so that their values are passed on exactly as
 * sent.
 *
 * Parsing and serializing `{"n": 12345678901234567890}` changes the number. A decision's `input`
 * and `metadata` are therefore cut out of the request text at the positions that this scan finds.
 * The scan runs before `JSON.parse`, so it must also terminate on invalid JSON.
 */

export interface JsonMember {
  /** The name with its escapes decoded. */
  readonly name: string
  /** The value is `text.slice(start, end)`. */
  readonly start: number
  readonly end: number
}

export interface JsonMembers {
  readonly members: readonly JsonMember[]
  /** Name of a member that is nested too deeply, or null. The scan stops there. */
  readonly tooDeepIn: string | null
  /** Whether there are more than `membersMax` members. The scan stops there. */
  readonly isTooMany: boolean
  /** Whether any name contains escapes. */
  readonly hasEscapedName: boolean
}

/**
 * Maximum number of members of an object. Without a limit, 10 MiB of `"a":1,` would yield 1.7
 * million members.
 */
export const membersMax = 1000

const quote = 34
const comma = 44
const colon = 58
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/**
 * Scans the object that begins at `text[start]` (a `{`). Stops at a member that is nested deeper
 * than `depthMax` levels, and after `membersMax` members.
 */
export function scanMembers(text: string, start: number, depthMax: number): JsonMembers {
  const members: JsonMember[] = []
  let hasEscapedName = false
  let at = start + 1
  while (at < text.length) {
    at = skipSpace(text, at)
    if (text.charCodeAt(at) !== quote) break
    if (members.length === membersMax)
      return { members, tooDeepIn: null, isTooMany: true, hasEscapedName }
    const nameEnd = skipString(text, at)
    const literal = text.slice(at, nameEnd)
    const isEscaped = literal.includes('\\')
    hasEscapedName ||= isEscaped
    const name = isEscaped ? decodeName(literal) : literal.slice(1, -1)
    at = skipSpace(text, nameEnd)
    if (text.charCodeAt(at) !== colon) break
    const valueStart = skipSpace(text, at + 1)
    const valueEnd = skipValue(text, valueStart, depthMax - 1)
    if (valueEnd < 0) return { members, tooDeepIn: name, isTooMany: false, hasEscapedName }
    members.push({ name, start: valueStart, end: valueEnd })
    at = skipSpace(text, valueEnd)
    if (text.charCodeAt(at) !== comma) break
    at += 1
  }
  return { members, tooDeepIn: null, isTooMany: false, hasEscapedName }
}

/** Returns the index of the first character at or after `at` that is not JSON whitespace. */
export function skipSpace(text: string, at: number): number {
  let index = at
  for (;;) {
    const code = text.charCodeAt(index)
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return index
    index += 1
  }
}

/**
 * Returns the index after the string that begins at `at`, or the end of the text if the string is
 * not closed.
 */
export function skipString(text: string, at: number): number {
  let index = at + 1
  for (;;) {
    const close = text.indexOf('"', index)
    if (close < 0) return text.length
    if (!isEscaped(text, close)) return close + 1
    index = close + 1
  }
}

/**
 * Checks whether the quote at `at` is escaped, that is, preceded by an odd number of backslashes.
 */
export function isEscaped(text: string, at: number): boolean {
  let index = at - 1
  while (text.charCodeAt(index) === backslash) index -= 1
  return (at - index) % 2 === 0
}

/** Returns the index after the value at `at`, or -1 if it is nested deeper than `depthMax`. */
export function skipValue(text: string, at: number, depthMax: number): number {
  const first = text.charCodeAt(at)
  if (first === quote) return skipString(text, at)
  if (first === openBrace || first === openBracket) return skipNested(text, at, depthMax)
  let index = at
  while (index < text.length && !endsScalar(text.charCodeAt(index))) index += 1
  return index
}

function skipNested(text: string, at: number, depthMax: number): number {
  let depth = 0
  let index = at
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === quote) {
      index = skipString(text, index)
      continue
    }
    index += 1
    if (code === openBrace || code === openBracket) {
      depth += 1
      if (depth > depthMax) return -1
    } else if (code === closeBrace || code === closeBracket) {
      depth -= 1
      if (depth === 0) return index
    }
  }
  return index
}

function endsScalar(code: number): boolean {
  return code === comma || code === closeBrace || code === closeBracket || code <= 32
}

/** Decodes the escapes of a name, because `"a"` and `"\u0061"` are the same name. */
export function decodeName(literal: string): string {
  try {
    return String(JSON.parse(literal))
  } catch {
    return literal.slice(1, -1)
  }
}
