/** Puts JSON text on one line, without changing its numbers and strings. */
import { skipString } from './json-members.ts'

const lineBreaks = /[\n\r]/

/**
 * Removes all whitespace outside of strings if the text contains a line break.
 * @param json valid JSON
 */
export function oneLine(json: string): string {
  if (!lineBreaks.test(json)) return json
  const parts: string[] = []
  let at = 0
  while (at < json.length) {
    const open = json.indexOf('"', at)
    const end = open < 0 ? json.length : open
    parts.push(json.slice(at, end).replaceAll(/[ \n\r\t]+/g, ''))
    at = open < 0 ? end : skipString(json, open)
    parts.push(json.slice(end, at))
  }
  return parts.join('')
}
