/** Finds a member that an object holds twice: a parsed value only has the last of them. */
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

/** An object or array around the place of the walk. */
interface Level {
  /** Names read so far, in quotes; null before the first one and in an array. */
  names: Set<string> | null
  /** Name of the current member, in quotes, or index of the current item. */
  place: string | number
}

/**
 * JSON pointer to the first member whose object already has one of the same name, at any depth, or
 * null. One walk in linear time, which yields after each step.
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
    // A string before a colon is a name.
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

/** Follows brackets and commas; other characters change nothing. */
function passMark(levels: Level[], code: number): void {
  if (code === openBrace || code === openBracket) levels.push({ names: null, place: 0 })
  else if (code === closeBrace || code === closeBracket) levels.pop()
  else if (code === comma) {
    const level = levels.at(-1)
    if (typeof level?.place === 'number') level.place += 1
  }
}

/** Returns false if the innermost object has the name already. */
function addName(levels: Level[], literal: string): boolean {
  const level = levels.at(-1)
  if (level === undefined) return true
  // With its quotes no name looks like an integer, and V8 hashes integers predictably.
  const key = literal.includes('\\') ? `"${decodeName(literal)}"` : literal
  level.place = key
  level.names ??= new Set()
  const sizeBefore = level.names.size
  return level.names.add(key).size > sizeBefore
}
