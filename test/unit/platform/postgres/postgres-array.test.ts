/** Tests that Postgres arrays of texts, bytes and times are encoded in binary format, and other
 * arrays as text.
 */
import { expect, test } from '@jest/globals'
import {
  bigintArray,
  booleanArray,
  byteaArray,
  float8Array,
  textArray,
  textArrayLiteral,
  timestamptzArray,
  uuidArray
} from '../../../../platform/postgres/postgres-array.ts'

const id = '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'

test('texts follow their length in bytes, and null has the length -1', () => {
  expect(textArray(['aé', null, '']).toString('hex')).toBe(
    [
      ...['00000001', '00000001', '00000019', '00000003', '00000001'],
      ...['00000003', '61c3a9', 'ffffffff', '00000000']
    ].join('')
  )
})

test('bytes are unchanged', () => {
  expect(byteaArray([Buffer.from([0, 255])]).toString('hex')).toBe(
    ['00000001', '00000000', '00000011', '00000001', '00000001', '00000002', '00ff'].join('')
  )
})

test.each([
  [Date.UTC(2000, 0, 1), '0000000000000000'],
  [Date.UTC(2000, 0, 1) + 1, '00000000000003e8'],
  [Date.UTC(2000, 0, 1) - 1, 'fffffffffffffc18'],
  [Date.UTC(2000, 0, 1) + 4_294_968, '00000001000002c0']
])('%d ms are encoded in microseconds from 2000 on', (ms, hex) => {
  expect(timestamptzArray([ms]).toString('hex').slice(-16)).toBe(hex)
})

test('encodes numbers and ids as text', () => {
  expect(bigintArray([1, null, Number.MAX_SAFE_INTEGER])).toBe('{1,NULL,9007199254740991}')
  expect(bigintArray([])).toBe('{}')
  expect(float8Array([0.5, null, 1e21])).toBe('{0.5,NULL,1e+21}')
  expect(booleanArray([true, null, false])).toBe('{true,NULL,false}')
  expect(uuidArray([id, id])).toBe(`{${id},${id}}`)
  expect(uuidArray([])).toBe('{}')
})

test.each([[['x']], [[id, '']], [[`${id},${id}`.slice(1)]], [[id.toUpperCase()]], [[`{${id}`]]])(
  'rejects an invalid UUID, which could shift others: %j',
  (values) => expect(() => uuidArray(values)).toThrow(TypeError)
)

test('keeps a text of any content among others', () => {
  expect(textArrayLiteral(['a', '', 'NULL', 'b,"c"}', String.raw`d\e`])).toBe(
    String.raw`{"a","","NULL","b,\"c\"}","d\\e"}`
  )
})
