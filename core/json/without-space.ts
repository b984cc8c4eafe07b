/** JSON text on one line: the space between its parts goes, and nothing else. */
import { skipString } from './json-members.ts'

const space = /[ \t\n\r]+/g

/** @param text valid JSON; what stands inside its strings stays as it is. */
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
