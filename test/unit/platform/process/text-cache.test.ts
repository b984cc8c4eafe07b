/** Tests that the text cache decodes like a decoder without a cache. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { TextCache } from '../../../../platform/process/text-cache.ts'

function decoded(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Few different bytes, so that many texts share a slot and differ in one byte. */
const byte = fc.constantFrom(0, 97, 98, 0xc3, 0xa9, 0x82, 0xff)
const bytes = fc.oneof(
  fc.array(byte, { maxLength: 12 }).map((list) => Buffer.from(list)),
  fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => Buffer.from(text))
)

test('texts are decoded as without a cache', () => {
  const texts = new TextCache()
  fc.assert(
    fc.property(fc.array(bytes, { minLength: 1 }), bytes, (all, around) => {
      for (const each of all) {
        const body = Buffer.concat([around, each, around])
        const end = around.length + each.length
        expect(texts.read(body, around.length, end)).toBe(decoded(each))
      }
    }),
    { numRuns: 2000 }
  )
})

test('bytes above ASCII are not read as the characters with these codes', () => {
  const texts = new TextCache()
  const unit = fc.integer({ min: 0x80, max: 0xff }).map((code) => String.fromCharCode(code))
  for (const text of fc.sample(fc.string({ unit, minLength: 5, maxLength: 15 }), 10_000)) {
    const [utf8, latin1] = [Buffer.from(text), Buffer.from(text, 'latin1')]
    expect(texts.read(utf8, 0, utf8.length)).toBe(text)
    expect(texts.read(latin1, 0, latin1.length)).toBe(decoded(latin1))
  }
})
