/** Texts as sequences of words, for evaluators that compare them. */

/** Words looked at; more would only repeat the same answer. */
const wordsMax = 3000

/** Lower-case words, without punctuation. */
export function wordsOf(lowerText: string): string[] {
  const words = lowerText.match(/[\p{L}\p{N}]+/gu) ?? []
  return words.length > wordsMax ? words.slice(0, wordsMax) : words
}

/** Every run of `length` words, each as one text. */
export function shinglesOf(words: readonly string[], length: number): string[] {
  const shingles: string[] = []
  for (let at = 0; at + length <= words.length; at++) {
    shingles.push(words.slice(at, at + length).join(' '))
  }
  return shingles
}
