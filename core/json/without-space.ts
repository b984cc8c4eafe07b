/** Removes the whitespace between the tokens of JSON text. */
import { skipString } from './json-members.ts'

const space = /[ \t\n\r]+/g

/** @param text valid JSON; its strings are not changed */
export function withoutSpace(text: string): string {
  let line = ''
  let at = 0
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return line + text.slice(at).replace(space, '')
    const end = skipString(text, quote)
    line += text.slice(at, quote).replace(space, '') + text.slice(quote, end)
    at = end
  }
}
