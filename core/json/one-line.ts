/** JSON text on one line, its values untouched: numbers keep their digits, texts their escapes. */
import { skipString } from './json-members.ts'

const lineBreaks = /[\n\r]/

/** Drops white space outside of strings where there are line breaks. `json` must be JSON. */
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
