/** Reason templates: split the reason of a score into its numbers and a template that many runs
 * share.
 *
 * The SQL function reason_text joins template and numbers.
 */

interface TemplatedReason {
  /** The sentence with `#` in place of each group of digits. */
  readonly template: string
  /** The groups of digits, separated by spaces; null if there are none. */
  readonly numbers: string | null
}

const digits = /\d+/g

/** @returns null if the sentence itself contains `#` */
export function splitReason(sentence: string): TemplatedReason | null {
  if (sentence.includes('#')) return null
  const numbers = sentence.match(digits)
  if (numbers === null) return { template: sentence, numbers: null }
  return { template: sentence.replaceAll(digits, '#'), numbers: numbers.join(' ') }
}
