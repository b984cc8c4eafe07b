/** Tests that encoded values are parsed exactly: names, order and digits. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { startEncoding } from '../../../../../sdk/typescript/src/encoding.ts'
import { writeValue } from '../../../../../sdk/typescript/src/encode-value.ts'
import { readEncoded } from '../../../../../sdk/typescript/src/read-encoded.ts'

function encoded(value: unknown): string {
  const encoding = startEncoding(10_000_000)
  writeValue(encoding, value)
  return encoding.text
}

test('reads any encoded value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), (value) => {
      const text = encoded(value)
      expect(encoded(readEncoded(text))).toBe(text)
      expect(JSON.stringify(readEncoded(text))).toBe(text)
    })
  )
})

test('reads any integer', () => {
  fc.assert(
    fc.property(fc.bigInt(), fc.double({ noNaN: true, noDefaultInfinity: true }), (big, number) => {
      const text = encoded([{ big }, number])
      expect(encoded(readEncoded(text))).toBe(text)
    })
  )
})

test.each<[string, unknown]>([
  ['9007199254740991', 2 ** 53 - 1],
  ['9007199254740993', 2n ** 53n + 1n],
  ['-1180591620717411303424', -(2n ** 70n)],
  ['100000000000000000000', 1e20],
  ['1e+21', 1e21],
  ['-2.5e-7', -2.5e-7],
  ['[true,false,null,0]', [true, false, null, 0]],
  ['{}', {}],
  ['[[],{}]', [[], {}]]
])('%s', (text, value) => {
  expect(readEncoded(text)).toEqual(value)
})

test('keeps names that V8 confuses, in their order', () => {
  for (const name of ['\\', '\n', '"', 'a\\"b\n":', '\\\\"', '\u2028', '', '__proto__']) {
    const text = `{"a":0,${JSON.stringify(name)}:{"b\\n":1,"c":2},"d":3}`
    expect(Object.keys(readEncoded(text) as object)).toEqual(['a', name, 'd'])
    expect(JSON.stringify(readEncoded(text))).toBe(text)
  }
})

test('reads the maximum depth and length', () => {
  const deep = '['.repeat(64) + ']'.repeat(64)
  expect(encoded(readEncoded(deep))).toHaveLength(112 + '"[too deep]"'.length)
  const escapes = JSON.stringify({ ['\n'.repeat(1_000_000)]: '\\"'.repeat(1_000_000) })
  expect(JSON.stringify(readEncoded(escapes))).toBe(escapes)
})
