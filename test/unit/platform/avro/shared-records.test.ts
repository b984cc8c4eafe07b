/** Tests that equal shared records are decoded to one object and encoded from cached bytes. */
import { expect, test } from '@jest/globals'
import { createDecoderFactory, createEncode } from '../../../../platform/avro/avro-codec.ts'

interface Value {
  readonly kinds: readonly { readonly name: string; readonly version: number }[]
}

const kind = {
  type: 'record',
  name: 'Kind',
  fields: [
    { name: 'name', type: 'string' },
    { name: 'version', type: 'int' }
  ]
}
const schemaOf = (items: object) => ({
  type: 'record',
  name: 'Value',
  fields: [{ name: 'kinds', type: { type: 'array', items } }]
})
const shared = schemaOf({ ...kind, shared: true })
const plain = schemaOf(kind)

const kinds = Array.from({ length: 7 }, (_, version) => ({ name: `kind-${version}`, version }))
const valueOf = (...places: readonly number[]): Value => ({
  kinds: places.map((place) => kinds[place % kinds.length] ?? { name: '', version: 0 })
})
const payloadOf = (value: Value) => createEncode<Value>(plain)(value, 1).subarray(5)

test('encodes a shared record like any other, however often it is encoded', () => {
  const encode = createEncode<Value>(shared)
  for (const value of [valueOf(0, 1), valueOf(1, 0, 1), valueOf(0, 1)]) {
    expect(encode(value, 1).subarray(5)).toEqual(payloadOf(value))
  }
})

test('decodes equal bytes as one object, whatever came before', () => {
  const decode = createDecoderFactory<Value>(shared)(shared)
  const orders = [[0, 1, 2], [2, 1, 0], [0, 3, 4, 5, 6], [6, 0], [0, 2], [0, 1, 2], []]
  const seen = new Map<string, object>()
  for (const order of [...orders, ...orders]) {
    const value = valueOf(...order)
    const read = decode(payloadOf(value))
    expect(read).toEqual(value)
    for (const each of read.kinds) {
      expect(seen.get(each.name) ?? each).toBe(each)
      seen.set(each.name, each)
    }
  }
})

test('freezes shared objects', () => {
  const [first] = createDecoderFactory<Value>(shared)(shared)(payloadOf(valueOf(0))).kinds
  expect(() => Object.assign(first ?? {}, { name: 'other' })).toThrow(TypeError)
})

test('rejects truncated payloads, even if the remaining bytes are cached', () => {
  const decode = createDecoderFactory<Value>(shared)(shared)
  const whole = payloadOf(valueOf(0, 1))
  decode(whole)
  for (let length = 0; length < whole.length; length++) {
    expect(() => decode(whole.subarray(0, length))).toThrow()
  }
  expect(decode(whole)).toEqual(valueOf(0, 1))
})

test('decodes field by field when the writer schema has other fields', () => {
  const fields = [{ name: 'later', type: 'string' }, ...kind.fields]
  const writer = schemaOf({ ...kind, fields })
  const written = createEncode<object>(writer)({ kinds: [{ later: 'x', ...kinds[3] }] }, 1)
  expect(createDecoderFactory<Value>(shared)(writer)(written.subarray(5))).toEqual(valueOf(3))
})
