/** The reason of a score as a template, which many runs share, and the numbers in it.
 *
 * The SQL function reason_text puts them together again.
 */

export interface TemplatedReason {
  /** The sentence with `#` instead of each group of digits. */
  readonly template: string
  /** The groups of digits, with spaces in between; null without any. */
  readonly numbers: string | null
}

const digits = /\d+/g

/** @returns null for a sentence that contains `#` itself */
export function splitReason(sentence: string): TemplatedReason | null {
  if (sentence.includes('#')) return null
  const numbers = sentence.match(digits)
  if (numbers === null) return { template: sentence, numbers: null }
  return { template: sentence.replaceAll(digits, '#'), numbers: numbers.join(' ') }
}
