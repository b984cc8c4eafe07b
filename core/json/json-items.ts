/** Finds the items of a JSON array in its text, so that each item can be checked separately. */
import { skipValueSteps } from './json-member-steps.ts'
import { skipSpace, skipValue } from './json-members.ts'
import { longText, stepCharacters } from './steps.ts'
import type { Steps } from './steps.ts'

/** Position of an item: `text.slice(start, end)`. The item may be invalid JSON. */
interface JsonItem {
  readonly start: number
  readonly end: number
}

const comma = 44
const closeBracket = 93

export interface JsonItems {
  readonly items: readonly JsonItem[]
  /** Index after the array; null if the scan stopped before its end. */
  readonly end: number | null
}

/**
 * Returns the items of the array that begins at `text[start]` (a `[`), or null if the array is not
 * well-formed. Works in steps if the text is long. Stops after `itemsMax` items; to detect an array
 * with too many items, pass one more than the allowed number.
 */
export function* scanItemsSteps(
  text: string,
  start: number,
  itemsMax: number
): Steps<JsonItems | null> {
  const isLong = text.length > longText
  const items: JsonItem[] = []
  let pauseAt = stepCharacters
  let at = skipSpace(text, start + 1)
  if (text.charCodeAt(at) === closeBracket) return { items, end: at + 1 }
  while (items.length < itemsMax) {
    const end = isLong
      ? yield* skipValueSteps(text, at, Number.POSITIVE_INFINITY)
      : skipValue(text, at, Number.POSITIVE_INFINITY)
    if (end === at) return null
    items.push({ start: at, end })
    if (end >= pauseAt) {
      pauseAt = end + stepCharacters
      yield
    }
    at = skipSpace(text, end)
    const code = text.charCodeAt(at)
    if (code === closeBracket) return { items, end: at + 1 }
    if (code !== comma) return null
    at = skipSpace(text, at + 1)
  }
  return { items, end: null }
}
