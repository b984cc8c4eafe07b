/** Returns the JSON pointer and the raw value of a display line. */
import { decodeName, skipSpace, skipString, skipValue } from '../../../core/json/json-members.ts'
import { pointerTo } from '../../../core/json/json-pointer.ts'
import { lineStart, pairOf, startOf } from './display-lines.ts'
import type { DisplayLines } from './display-lines.ts'

const quote = '"'
const colon = ':'

/** Returns the first line of the member or item that the line belongs to. */
function itemOf(lines: DisplayLines, line: number): number {
  let first = Math.min(line, pairOf(lines, line))
  while (first > 0 && lines.kinds[first] !== lineStart.whole) first -= 1
  return first
}

interface Place {
  /** The line of the enclosing bracket, or -1 if there is none. */
  readonly parent: number
  /** Number of items before this one in the bracket at `parent`. */
  readonly position: number
}

function placeOf(lines: DisplayLines, item: number): Place {
  let position = 0
  let line = item - 1
  while (line >= 0) {
    const pair = pairOf(lines, line)
    if (pair > line) break
    const first = itemOf(lines, line)
    position += 1
    line = first - 1
  }
  return { parent: line, position }
}

/** Returns the text of the item's name, or null for an item of an array and for the whole text. */
function nameOf(lines: DisplayLines, item: number): string | null {
  const { text } = lines
  const start = skipSpace(text, startOf(lines, item))
  if (text[start] !== quote) return null
  const end = skipString(text, start)
  return text[skipSpace(text, end)] === colon ? text.slice(start, end) : null
}

/** Returns the line of the enclosing bracket, or 0 if there is none. */
export function parentOf(lines: DisplayLines, line: number): number {
  return Math.max(0, placeOf(lines, itemOf(lines, line)).parent)
}

/** Returns the JSON pointer (RFC 6901) of the value that the line shows or is a part of. */
export function pointerAt(lines: DisplayLines, line: number): string {
  const parts: string[] = []
  for (let item = itemOf(lines, line); ;) {
    const { parent, position } = placeOf(lines, item)
    if (parent < 0) return parts.reverse().join('')
    const name = nameOf(lines, item)
    parts.push(pointerTo(name === null ? String(position) : decodeName(name)))
    item = itemOf(lines, parent)
  }
}

/** Returns the raw text of the value that the line shows or is a part of. */
export function valueAt(lines: DisplayLines, line: number): string {
  const { text } = lines
  const item = itemOf(lines, line)
  let start = skipSpace(text, startOf(lines, item))
  const name = nameOf(lines, item)
  if (name !== null) start = skipSpace(text, skipSpace(text, start + name.length) + 1)
  return text.slice(start, skipValue(text, start, Number.POSITIVE_INFINITY))
}
