/** How alike two texts are, letter by letter. */
import { distance } from 'fastest-levenshtein'

/** Longest text that is compared: the work grows with the product of the two. */
export const comparedCharactersMax = 4000

/** From 0, nothing in common, to 1, the same; null when a text is too long. */
export function likenessOf(one: string, other: string): number | null {
  const longest = Math.max(one.length, other.length)
  if (longest > comparedCharactersMax) return null
  return longest === 0 ? 1 : 1 - distance(one, other) / longest
}
