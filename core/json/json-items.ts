/** Where the items of a JSON array stand in its text, so that each can be judged by itself. */
import { skipValueSteps } from './json-member-steps.ts'
import { skipSpace, skipValue } from './json-members.ts'
import { longText, stepCharacters } from './steps.ts'
import type { Steps } from './steps.ts'

/** The item is `text.slice(start, end)`; whether it is JSON is not looked at. */
export interface JsonItem {
  readonly start: number
  readonly end: number
}

const comma = 44
const closeBracket = 93

export interface JsonItems {
  readonly items: readonly JsonItem[]
  /** Index behind the array; null when the scan stopped before. */
  readonly end: number | null
}

/**
 * Items of the array that begins at `text[start]` (a `[`), in steps if the text is long; null when
 * it is no array to its end. Stops behind `itemsMax` items: one more than a caller allows tells
 * that there are too many.
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
