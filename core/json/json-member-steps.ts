/** Finds the members of a long JSON object in its text, in steps. See json-members.ts. */
import { decodeName, isEscaped, membersMax, skipSpace, skipValue } from './json-members.ts'
import type { JsonMember, JsonMembers } from './json-members.ts'
import { stepCharacters } from './steps.ts'
import type { Steps } from './steps.ts'

const quote = 34
const comma = 44
const colon = 58
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/**
 * Skips the value of the member `name`. Returns the index after it, or a negative number to end the
 * walk.
 */
type SkipMember = (name: string, at: number) => Steps<number>

/** Works like `scanMembers`, but in steps. */
export function scanMembersSteps(
  text: string,
  start: number,
  depthMax: number
): Steps<JsonMembers> {
  return walkMembersSteps(text, start, (_name, at) => skipValueSteps(text, at, depthMax - 1))
}

/** Works like `scanMembersSteps`, but skips each value with a custom function. */
export function* walkMembersSteps(
  text: string,
  start: number,
  skip: SkipMember
): Steps<JsonMembers> {
  const members: JsonMember[] = []
  const found = { members, tooDeepIn: null, isTooMany: false, hasEscapedName: false }
  let pauseAt = stepCharacters
  for (let at = start + 1; text.charCodeAt((at = skipSpace(text, at))) === quote; at += 1) {
    if (members.length === membersMax) return { ...found, isTooMany: true }
    const nameEnd = yield* skipValueSteps(text, at, 0)
    const literal = text.slice(at, nameEnd)
    found.hasEscapedName ||= literal.includes('\\')
    at = skipSpace(text, nameEnd)
    if (text.charCodeAt(at) !== colon) break
    const name = decodeName(literal)
    const valueStart = skipSpace(text, at + 1)
    const valueEnd = yield* skip(name, valueStart)
    if (valueEnd < 0) return { ...found, tooDeepIn: name }
    members.push({ name, start: valueStart, end: valueEnd })
    if (valueEnd >= pauseAt) {
      pauseAt = valueEnd + stepCharacters
      yield
    }
    at = skipSpace(text, valueEnd)
    if (text.charCodeAt(at) !== comma) break
  }
  return found
}

/** Works like `skipValue`, but in steps. */
export function* skipValueSteps(text: string, at: number, depthMax: number): Steps<number> {
  const isScalar = !'"{['.includes(text[at] ?? ' ')
  if (isScalar) return skipValue(text, at, depthMax)
  const skip = { at, depth: 0, isInString: false }
  for (;;) {
    const until = Math.min(skip.at + stepCharacters, text.length)
    while (skip.at < until) {
      if (skip.isInString) skipInString(skip, text, until)
      else skipMarks(skip, text, until)
      if (skip.depth > depthMax) return -1
      if (skip.depth === 0 && !skip.isInString) return skip.at
    }
    if (skip.at >= text.length) return text.length
    yield
  }
}

/** State of `skipValueSteps` between two steps. */
interface Skip {
  at: number
  depth: number
  isInString: boolean
}

/** Moves past the next character that opens or closes a level or begins a string. */
function skipMarks(skip: Skip, text: string, until: number): void {
  let at = skip.at
  let change = 0
  while (at < until && change === 0 && !skip.isInString) {
    const code = text.charCodeAt(at)
    at += 1
    if (code === quote) skip.isInString = true
    else if (code === openBrace || code === openBracket) change = 1
    else if (code === closeBrace || code === closeBracket) change = -1
  }
  skip.at = at
  skip.depth += change
}

/**
 * Number of consecutive string characters without an escape after which searching for the closing
 * quote is faster than checking each character.
 */
const plainCharactersMax = 64

/** Moves past the end of the string, or to `until`. */
function skipInString(skip: Skip, text: string, until: number): void {
  let at = skip.at
  let plain = 0
  while (at < until && skip.isInString) {
    const code = text.charCodeAt(at)
    skip.isInString = code !== quote
    at += code === backslash ? 2 : 1
    plain = code === backslash ? 0 : plain + 1
    if (plain === plainCharactersMax && skip.isInString) at = quoteFrom(text, at)
  }
  skip.at = at
}

/** Returns the index of the next quote, or the index after it if the quote is escaped. */
function quoteFrom(text: string, at: number): number {
  const index = text.indexOf('"', at)
  if (index < 0) return text.length
  return isEscaped(text, index) ? index + 1 : index
}
