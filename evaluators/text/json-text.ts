/** Text read as JSON: whether it is, and where it stops being it. */
import { syntaxErrorAt } from '../../core/json/json-syntax.ts'

/** Longest text that is parsed. */
export const jsonCharactersMax = 262_144
/** Nesting that is followed when the place of an error is looked for. */
const depthMax = 64

export type JsonText = 'valid' | 'invalid' | 'too_long'

/** How any JSON text begins; parsing what does not would only cost an exception. */
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

/** A text, number or word that has begun and could go on. */
const unfinished = new RegExp(
  [
    String.raw`^"[^"\\\x00-\x1f]*(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*)*\\?$`,
    String.raw`^-?\d*(?:\.\d*)?(?:[eE][+-]?\d*)?$`,
    '^(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)$'
  ].join('|')
)

/** An object or array that is right as far as it goes, and then ends too early. */
export function isJsonBrokenOff(text: string): boolean {
  if (!/^[{[]/.test(text) || text.length > jsonCharactersMax) return false
  const at = syntaxErrorAt(text, depthMax)
  if (at === null) return false
  if (at >= text.length) return true
  // A bare word right after the bracket is a label such as [INFO] sooner than JSON.
  return (at > 1 || text[at] === '"') && unfinished.test(text.slice(at))
}
