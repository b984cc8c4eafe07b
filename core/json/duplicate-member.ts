/** Finds duplicate members in JSON text. A parsed value does not show them, because it contains
 * only the last one.
 */
import { skipValueSteps } from './json-member-steps.ts'
import { decodeName, skipSpace, skipString } from './json-members.ts'
import { pointerTo } from './json-pointer.ts'
import { isLong, stepCharacters } from './steps.ts'
import type { Steps } from './steps.ts'

const quote = 34
const comma = 44
const colon = 58
const openBracket = 91
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/** An object or array that encloses the current position. */
interface Level {
  /** Names read so far, in quotes; null in an array and before the first name. */
  names: Set<string> | null
  /** Name of the current member, in quotes, or index of the current item. */
  place: string | number
}

/**
 * Returns the JSON pointer of the first duplicate member at any depth, or null if there is none.
 * Walks the text once, in linear time, and yields after each step.
 * @param text valid JSON
 */
export function* findDuplicateMember(text: string): Steps<string | null> {
  const levels: Level[] = []
  let at = 0
  for (let stepEnd = stepCharacters; at < text.length;) {
    if (at >= stepEnd) {
      yield
      stepEnd = at + stepCharacters
    }
    if (text.charCodeAt(at) !== quote) {
      passMark(levels, text.charCodeAt(at))
      at += 1
      continue
    }
    const end = isLong(text) ? yield* skipValueSteps(text, at, 0) : skipString(text, at)
    const next = skipSpace(text, end)
    // A string followed by a colon is a name.
    if (text.charCodeAt(next) === colon && !addName(levels, text.slice(at, end))) {
      return levels.map(stepTo).join('')
    }
    at = next
  }
  return null
}

function stepTo({ place }: Level): string {
  return pointerTo(typeof place === 'number' ? String(place) : place.slice(1, -1))
}

/** Updates the levels at brackets and commas. Ignores other characters. */
function passMark(levels: Level[], code: number): void {
  if (code === openBrace || code === openBracket) levels.push({ names: null, place: 0 })
  else if (code === closeBrace || code === closeBracket) levels.pop()
  else if (code === comma) {
    const level = levels.at(-1)
    if (typeof level?.place === 'number') level.place += 1
  }
}

/** Records a name. Returns false if the innermost object already has it. */
function addName(levels: Level[], literal: string): boolean {
  const level = levels.at(-1)
  if (level === undefined) return true
  // Stores names with their quotes. Without quotes, names can look like integers, which V8 hashes
  // predictably.
  const key = literal.includes('\\') ? `"${decodeName(literal)}"` : literal
  level.place = key
  level.names ??= new Set()
  const sizeBefore = level.names.size
  return level.names.add(key).size > sizeBefore
}
