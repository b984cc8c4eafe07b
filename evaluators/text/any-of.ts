/** Joins sources of regular expressions as alternatives. */

export function anyOf(...choices: readonly string[]): string {
  return `(?:${choices.join('|')})`
}
