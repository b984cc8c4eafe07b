/** Computes the Levenshtein similarity of two texts. */
import { distance } from 'fastest-levenshtein'

/** Maximum length of a text. Running time grows with the product of both lengths. */
const comparedCharactersMax = 4000

/** Returns a value from 0 to 1, where 1 means equal, or null if a text is too long. */
export function levenshteinSimilarity(one: string, other: string): number | null {
  const longest = Math.max(one.length, other.length)
  if (longest > comparedCharactersMax) return null
  return longest === 0 ? 1 : 1 - distance(one, other) / longest
}
