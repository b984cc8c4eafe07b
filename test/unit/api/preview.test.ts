/** Tests that previews contain only whole characters, even if the JSON literal was cut off. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  inputStartChars,
  outputStartChars,
  previewCharsMax,
  previewOf,
  previewOfLiteral
} from '../../../api/preview.ts'

/** Implements Postgres's `left`, which counts characters instead of UTF-16 units. */
function left(text: string, chars: number): string {
  return [...text].slice(0, chars).join('')
}

function expectedOf(text: string) {
  const chars = [...text]
  return {
    preview: chars.slice(0, previewCharsMax).join(''),
    truncated: chars.length > previewCharsMax
  }
}

/** Escapes every character, which yields the longest possible literal. */
function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
}

test.each(['', 'a', 'x'.repeat(240), 'x'.repeat(241), '🔑'.repeat(240), '🔑'.repeat(241)])(
  'truncates a text at 240 characters %#',
  (text) => {
    expect(previewOf(left(text, inputStartChars))).toEqual(expectedOf(text))
  }
)

const hard = ['"', '\\', '\\"', '\n\t', '\u0000', '\u2028', '🔑', 'é', '\\u0041', '/']

test.each(hard)('parses a literal of %j', (part) => {
  for (const text of [part, part.repeat(119), part.repeat(240), part.repeat(5000)]) {
    const start = left(JSON.stringify(text), outputStartChars)
    expect(previewOfLiteral(start)).toEqual(expectedOf(text))
    expect(previewOfLiteral(left(escaped(text), outputStartChars))).toEqual(expectedOf(text))
  }
})

test('returns the first 240 characters of any text, escaped or not', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
      for (const literal of [JSON.stringify(text), escaped(text)]) {
        expect(previewOfLiteral(left(literal, outputStartChars))).toEqual(expectedOf(text))
      }
    })
  )
})
