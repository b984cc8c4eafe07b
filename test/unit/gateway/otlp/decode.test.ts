/** Tests that both encodings decode to what an exporter encoded, and that damaged bodies are
 * rejected. The test encodes protobuf with protobufjs and the official definitions.
 */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Problem } from '../../../../core/problem.ts'
import { decodeTraces, readSpan } from '../../../../gateway/otlp/decode.ts'
import type { Encoding } from '../../../../gateway/otlp/decode.ts'
import { ValueError, jsonOf } from '../../../../gateway/otlp/span.ts'
import type { OtlpSpan, Value } from '../../../../gateway/otlp/span.ts'
import { aSpan, encodings, exportOf, idOf, traceId } from './export.ts'

function decode(encoding: Encoding, body: Buffer): OtlpSpan[] {
  return [...decodeTraces(encoding, body)].map((placed) => readSpan(encoding, placed))
}

/** A value as tests write it, without bytes, which the test encoder does not write. */
type Written = string | boolean | number | bigint | Written[] | { [key: string]: Written }

const { written } = fc.letrec<{ written: Written }>((tie) => ({
  written: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'grapheme' }),
    fc.boolean(),
    fc.integer(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.double({ noNaN: true, noInteger: true, noDefaultInfinity: true }),
    fc.array(tie('written'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('written'), { maxKeys: 4, noNullPrototype: true })
  )
}))

function isExact(integer: bigint): boolean {
  return Number.isSafeInteger(Number(integer))
}

/** Returns what the decoders return for a written value. */
function decoded(value: Written): Value {
  if (typeof value === 'bigint') return isExact(value) ? Number(value) : value
  if (Array.isArray(value)) return value.map(decoded)
  if (typeof value !== 'object') return value
  return new Map(Object.entries(value).map(([key, each]) => [key, decoded(each)]))
}

describe.each(encodings)('in %s', (encoding) => {
  test('values are decoded exactly', () => {
    const members = fc.dictionary(fc.string(), written, { maxKeys: 6, noNullPrototype: true })
    fc.assert(
      fc.property(fc.array(members, { minLength: 1, maxLength: 4 }), (all) => {
        const spans = decode(
          encoding,
          exportOf(
            encoding,
            all.map((each) => aSpan(each))
          )
        )
        expect(spans.map(({ attributes }) => attributes)).toEqual(all.map((each) => decoded(each)))
      }),
      { numRuns: 500 }
    )
  })

  test('a span has its ids, times, flags, events and status', () => {
    const [span] = decode(
      encoding,
      exportOf(encoding, [
        aSpan(
          {},
          {
            parentSpanId: idOf(7),
            flags: 0x101,
            status: { code: 2, message: 'timeout' },
            events: [{ name: 'e', attributes: [{ key: 'k', value: { intValue: '5' } }] }]
          }
        )
      ])
    )
    expect(span).toEqual({
      traceId,
      spanId: '00f067aa0ba902b7',
      parentSpanId: idOf(7),
      name: 'step',
      flags: 0x101,
      startNanos: 1764000000000000000,
      endNanos: 1764000001500000000,
      attributes: new Map(),
      droppedAttributes: 0,
      events: [{ name: 'e', attributes: new Map([['k', 5]]) }],
      isError: true,
      statusMessage: 'timeout'
    })
  })

  test('a value that nests too deep rejects only its span', () => {
    const deep = Array.from({ length: 70 }).reduce<Written>((inner) => [inner], 1)
    const [placed] = decodeTraces(encoding, exportOf(encoding, [aSpan({ deep })]))
    expect(() => readSpan(encoding, placed!)).toThrow(ValueError)
  })

  test('a body that is cut or changed is rejected or decoded, but never fails otherwise', () => {
    const body = exportOf(encoding, [aSpan({ a: 'text', b: 5n, c: [1.5, { d: true }] })])
    const change = fc.record({
      at: fc.nat(body.length - 1),
      byte: fc.nat(255),
      end: fc.nat(body.length)
    })
    fc.assert(
      fc.property(change, ({ at, byte, end }) => {
        const changed = Buffer.from(body)
        changed[at] = byte
        try {
          decode(encoding, changed.subarray(0, end))
        } catch (error) {
          expect(error instanceof Problem || error instanceof ValueError).toBe(true)
        }
      }),
      { numRuns: 2000 }
    )
  })
})

test('JSON of values keeps digits, and has no other numbers than JSON allows', () => {
  const value = new Map<string, Value>([
    ['long', 9007199254740993n],
    ['nan', Number.NaN],
    ['zero', -0],
    ['large', 1e21],
    ['bytes', Buffer.from('hi')],
    ['none', null]
  ])
  expect(jsonOf(value)).toBe(
    '{"long":9007199254740993,"nan":"NaN","zero":-0,"large":1e+21,"bytes":"aGk=","none":null}'
  )
})

test('fields may arrive in any order, and unknown ones are skipped', () => {
  const body = exportOf('protobuf', [aSpan({ a: 1 })])
  const unknown = Buffer.from([0xf8, 0x06, 0x05, 0xfa, 0x06, 0x01, 0x00])
  expect(decode('protobuf', Buffer.concat([unknown, body, unknown]))).toEqual(
    decode('protobuf', body)
  )
})
