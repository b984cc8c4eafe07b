/** Splits texts into hashes of words and phrases, because comparing strings costs ten times as
 * much.
 */

/** Maximum number of words read, which bounds the work per text. */
export const wordsMax = 4096
/**
 * Number of words in a phrase. Shorter phrases match by chance, and longer ones no longer match
 * after small changes to the text.
 */
export const phraseWords = 6

/**
 * Base of the rolling hash, an arbitrary odd number. `baseToTheLength` is the weight of the word
 * that leaves a phrase.
 */
const base = 0x2c1b3c6d
const baseToTheLength = Array.from({ length: phraseWords }, () => base).reduce(Math.imul)

const separator = 0
const partOfWord = 1
const wordOfItsOwn = 2

type Range = readonly [kind: number, from: number, to: number]
/**
 * Kinds of characters; all other characters are parts of words. Each surrogate counts as a separate
 * word, so an emoji outside the BMP counts as two.
 */
const ranges: readonly Range[] = [
  [separator, 0x00, 0x2f],
  [separator, 0x3a, 0x60],
  [separator, 0x7b, 0xbf],
  [separator, 0x2000, 0x206f],
  [separator, 0x3000, 0x303f],
  [separator, 0xff00, 0xff0f],
  [separator, 0xff1a, 0xff20],
  [separator, 0xff5b, 0xff65],
  [wordOfItsOwn, 0x0e00, 0x0eff],
  [wordOfItsOwn, 0x3040, 0x30ff],
  [wordOfItsOwn, 0x3400, 0x9fff],
  [wordOfItsOwn, 0xd800, 0xdfff]
]
const kinds = new Uint8Array(0x10000).fill(partOfWord)
for (const [kind, from, to] of ranges) kinds.fill(kind, from, to + 1)

/** Number of characters at the end of a text that are searched for its last words. */
const endCharacters = 32_768

/**
 * Returns the first words of a lowercase text as 32-bit hashes. In scripts without spaces between
 * words (Chinese, Japanese, Thai) and for emoji outside the BMP, each UTF-16 unit is a word.
 *
 * Returns a plain array, because a typed array allocates memory outside of the heap. Allocating and
 * freeing it took a sixth of the default rule's CPU time.
 */
export function wordsOf(lowerText: string): readonly number[] {
  return readWords(lowerText, wordsMax)
}

/** Returns the last words of a text as hashes. */
export function lastWordsOf(text: string): readonly number[] {
  const end = text.slice(-endCharacters).toLowerCase().slice(-endCharacters)
  return readWords(end, endCharacters).slice(-wordsMax)
}

function readWords(lowerText: string, countMax: number): number[] {
  const words: number[] = []
  let hash = 0
  for (let at = 0; at < lowerText.length && words.length < countMax; at++) {
    const code = lowerText.charCodeAt(at)
    const kind = kinds[code]
    if (kind === partOfWord) {
      hash = (Math.imul(hash, 0x01000193) + code) | 0
      continue
    }
    if (hash !== 0) words.push(hash)
    if (kind === wordOfItsOwn) words.push(code)
    hash = 0
  }
  if (hash !== 0) words.push(hash)
  // The last character can end a word and also be a word itself, so there may be one word too many.
  return words.length > countMax ? words.slice(0, countMax) : words
}

/** Returns a hash for each sequence of `phraseWords` words, in order. */
export function phrasesOf(words: readonly number[]): readonly number[] {
  const phrases: number[] = []
  let hash = 0
  for (let at = 0; at < words.length; at++) {
    const left = at < phraseWords ? 0 : (words[at - phraseWords] ?? 0)
    // Rolling polynomial hash: adds the next word and subtracts the word that leaves the phrase.
    hash = (Math.imul(hash, base) + (words[at] ?? 0) - Math.imul(left, baseToTheLength)) | 0
    if (at >= phraseWords - 1) phrases.push(hash)
  }
  return phrases
}
