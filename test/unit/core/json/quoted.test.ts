/** Tests that strings are written as JSON. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { quoted } from '../../../../core/json/quoted.ts'

test('a string is written like by JSON.stringify', () => {
  const short = fc.string({ unit: 'binary', maxLength: 3 })
  fc.assert(
    fc.property(fc.oneof(short, fc.string({ maxLength: 100 })), (text) => {
      expect(quoted(text)).toBe(JSON.stringify(text))
    }),
    { numRuns: 2000 }
  )
  for (let code = 0; code < 0x300; code++) {
    const text = `a${String.fromCharCode(code)}`
    expect(quoted(text)).toBe(JSON.stringify(text))
  }
})
