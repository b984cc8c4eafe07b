/** Tests the search for the first byte that is not UTF-8. */
import { isUtf8 } from 'node:buffer'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { utf8ErrorAt } from '../../../../core/json/utf8-error.ts'

/** Finds the position slowly, by its definition: the end of the longest valid prefix. */
function errorAtSlowly(bytes: Buffer): number | null {
  if (isUtf8(bytes)) return null
  let at = bytes.length
  while (!isUtf8(bytes.subarray(0, at))) at -= 1
  return at
}

const genuine = [0xef, 0xbf, 0xbd]

test.each<[string, number[], number | null]>([
  ['nothing', [], null],
  ['ASCII', [0x7b, 0x7d], null],
  ['a genuine U+FFFD', genuine, null],
  ['0xFF', [0x61, 0xff, 0x61], 1],
  ['a broken byte after a genuine U+FFFD', [...genuine, ...genuine, 0xff], 6],
  ['a truncated genuine U+FFFD', [...genuine, 0xef, 0xbf], 3],
  ['a genuine U+FFFD broken in its last byte', [0x61, 0xef, 0xbf, 0x61], 1],
  ['an overlong slash', [0xc0, 0xaf], 0],
  ['an overlong NUL of three bytes', [0x61, 0xe0, 0x80, 0x80], 1],
  ['a surrogate pair as two characters (CESU-8)', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80], 0],
  ['a character beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80], 0],
  ['a truncated character', [0x22, 0xf0, 0x9f, 0x98], 1],
  ['a lone continuation', [0x61, 0x62, 0x80], 2]
])('%s', (_what, bytes, at) => {
  expect(utf8ErrorAt(Buffer.from(bytes))).toBe(at)
})

test('agrees with the definition on any bytes', () => {
  const byte = fc.constantFrom(...[0x22, 0x61, 0x80, 0x8f, 0x90, 0xa0, 0xbd, 0xbf, 0xc0, 0xc3])
  const lead = fc.constantFrom(...[0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff])
  const piece = fc.oneof(
    byte.map((one) => [one]),
    lead.map((one) => [one]),
    fc.constant(genuine),
    fc.string({ unit: 'binary', maxLength: 3 }).map((text) => [...Buffer.from(text)])
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const bytes = Buffer.from(pieces.flat())
      expect(utf8ErrorAt(bytes)).toBe(errorAtSlowly(bytes))
    }),
    { numRuns: 5000 }
  )
})

test('takes linear time with ten million valid characters before the error', () => {
  const bytes = Buffer.concat([Buffer.from('é'.repeat(5_000_000)), Buffer.from([0xff])])
  expect(utf8ErrorAt(bytes)).toBe(10_000_000)
})
