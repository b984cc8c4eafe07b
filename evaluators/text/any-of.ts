/** A regular expression put together from parts that a reader can take in. */

/** One of the choices, each of which is the source of a regular expression. */
export function anyOf(...choices: readonly string[]): string {
  return `(?:${choices.join('|')})`
}
