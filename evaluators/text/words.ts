/** Texts as words and phrases, as numbers: comparing those costs a tenth of comparing strings. */

/** Words looked at; more would only repeat the same answer. */
export const wordsMax = 4096
/** Shorter phrases stand in many texts by chance; longer ones miss small changes. */
export const phraseWords = 6

/** An odd number without pattern, and its power, the weight of a word that leaves a phrase. */
const base = 0x2c1b3c6d
const baseToTheLength = Array.from({ length: phraseWords }, () => base).reduce(Math.imul)

const separator = 0
const partOfWord = 1
const wordOfItsOwn = 2

type Range = readonly [kind: number, from: number, to: number]
/** What is not named here belongs to a word. Surrogates, thus emoji, are words of their own. */
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

/** The end of a text that is read for its last words. */
const endCharacters = 32_768

/**
 * Each of the first words of a lower-case text as a 32-bit hash. Scripts without spaces between
 * words (Chinese, Japanese, Thai) and emoji count each character as a word.
 *
 * A plain array, because a typed array has memory outside of the heap: allocating and freeing it
 * took a sixth of the default rule's CPU time.
 */
export function wordsOf(lowerText: string): readonly number[] {
  return readWords(lowerText, wordsMax)
}

/** The same for the last words. */
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
  // The last character may have ended a word and be a word itself.
  return words.length > countMax ? words.slice(0, countMax) : words
}

/** Each run of `phraseWords` words as a hash, in the order of the text. */
export function phrasesOf(words: readonly number[]): readonly number[] {
  const phrases: number[] = []
  let hash = 0
  for (let at = 0; at < words.length; at++) {
    const left = at < phraseWords ? 0 : (words[at - phraseWords] ?? 0)
    // A polynomial over the words: one enters, and the one that leaves is taken out again.
    hash = (Math.imul(hash, base) + (words[at] ?? 0) - Math.imul(left, baseToTheLength)) | 0
    if (at >= phraseWords - 1) phrases.push(hash)
  }
  return phrases
}
