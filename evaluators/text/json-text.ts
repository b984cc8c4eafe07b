/** Checks whether a text is JSON, and whether JSON is truncated. */
import { syntaxErrorAt } from '../../core/json/json-syntax.ts'

/** Maximum number of characters in a text to parse. */
export const jsonCharactersMax = 262_144
/** Maximum nesting depth for locating a syntax error. */
const depthMax = 64

export type JsonText = 'valid' | 'invalid' | 'too_long'

/**
 * First character of JSON. Texts that begin differently are not parsed, which avoids a costly
 * exception.
 */
const beginning = /^["{[\d\-tfn]/

export function jsonTextOf(text: string): JsonText {
  if (!beginning.test(text)) return 'invalid'
  if (text.length > jsonCharactersMax) return 'too_long'
  try {
    JSON.parse(text)
    return 'valid'
  } catch {
    return 'invalid'
  }
}

/** Unfinished string, or a number or literal that can continue. */
const unfinished = new RegExp(
  [
    String.raw`^"[^"\\\x00-\x1f]*(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*)*\\?$`,
    String.raw`^-?\d*(?:\.\d*)?(?:[eE][+-]?\d*)?$`,
    '^(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)$'
  ].join('|')
)

/** Checks whether an object or array is valid up to its end but incomplete. */
export function isJsonBrokenOff(text: string): boolean {
  if (!/^[{[]/.test(text) || text.length > jsonCharactersMax) return false
  const at = syntaxErrorAt(text, depthMax)
  if (at === null) return false
  if (at >= text.length) return true
  // A bare word after the bracket is more likely a label such as [INFO] than JSON.
  return (at > 1 || text[at] === '"') && unfinished.test(text.slice(at))
}
