/** Tests that both encodings decode to what an exporter encoded, and that damaged bodies are
 * rejected. The test encodes protobuf with protobufjs and the official definitions.
 */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Problem } from '../../../../core/problem.ts'
import { decode, problemOf } from '../../../../gateway/otlp/decode.ts'
import type { Encoding } from '../../../../gateway/otlp/decode.ts'
import { LongText, SpanError, jsonOf } from '../../../../gateway/otlp/span.ts'
import type { OtlpSpan, Value } from '../../../../gateway/otlp/span.ts'
import { aSpan, encodings, exportOf, idOf, traceId } from '../../../support/otlp-export.ts'

const placedIn = (encoding: Encoding, bytes: Buffer) =>
  decode({ signal: 'traces', encoding, bytes })

/** Returns all spans, or throws the problem of the request. */
async function spansIn(encoding: Encoding, bytes: Buffer): Promise<OtlpSpan[]> {
  try {
    return [...(await placedIn(encoding, bytes))].map(({ read }) => read())
  } catch (error) {
    throw problemOf({ signal: 'traces', encoding, bytes }, error)
  }
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

/** Returns a value with long texts decoded. */
function withStrings(value: Value): Value {
  if (value instanceof LongText) return String(value)
  if (Array.isArray(value)) return value.map(withStrings)
  if (!(value instanceof Map)) return value
  const entries = [...(value as ReadonlyMap<string, Value>)]
  return new Map(entries.map(([key, each]) => [key, withStrings(each)]))
}

describe.each(encodings)('in %s', (encoding) => {
  test('values are decoded exactly', async () => {
    const members = fc.dictionary(fc.string(), written, { maxKeys: 6, noNullPrototype: true })
    await fc.assert(
      fc.asyncProperty(fc.array(members, { minLength: 1, maxLength: 4 }), async (all) => {
        const spans = await spansIn(
          encoding,
          exportOf(
            encoding,
            all.map((each) => aSpan(each))
          )
        )
        expect(spans.map(({ attributes }) => withStrings(attributes))).toEqual(all.map(decoded))
      }),
      { numRuns: 500 }
    )
  })

  test('a span has its ids, times, flags, events and status', async () => {
    const [span] = await spansIn(
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

  test('a value that nests too deep rejects only its span', async () => {
    const deep = Array.from({ length: 70 }).reduce<Written>((inner) => [inner], 1)
    const [placed] = await placedIn(encoding, exportOf(encoding, [aSpan({ deep })]))
    expect(() => placed?.read()).toThrow(SpanError)
  })

  test('a body that is cut or changed is rejected or decoded, and nothing else', async () => {
    const body = exportOf(encoding, [aSpan({ a: 'text', b: 5n, c: [1.5, { d: true }] })])
    const change = fc.record({
      at: fc.nat(body.length - 1),
      byte: fc.nat(255),
      end: fc.nat(body.length)
    })
    await fc.assert(
      fc.asyncProperty(change, async ({ at, byte, end }) => {
        const changed = Buffer.from(body)
        changed[at] = byte
        try {
          await spansIn(encoding, changed.subarray(0, end))
        } catch (error) {
          expect(error instanceof Problem || error instanceof SpanError).toBe(true)
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

test('unknown fields are skipped', async () => {
  const body = exportOf('protobuf', [aSpan({ a: 1 })])
  const unknown = Buffer.from([0xf8, 0x06, 0x05, 0xfa, 0x06, 0x01, 0x00])
  expect(await spansIn('protobuf', Buffer.concat([unknown, body, unknown]))).toEqual(
    await spansIn('protobuf', body)
  )
})

/** Returns `count` empty messages in a repeated field. */
function emptyMessages(field: number, count: number): Buffer {
  return Buffer.alloc(2 * count, Buffer.from([(field << 3) | 2, 0]))
}

/** Returns a message in field 1 or 2 of another one. */
function inField(field: number, content: Buffer): Buffer {
  const length: number[] = []
  for (let rest = content.length; rest > 0; rest >>>= 7) length.push((rest & 127) | 128)
  length.push((length.pop() ?? 0) & 127)
  return Buffer.concat([Buffer.from([(field << 3) | 2, ...length]), content])
}

test.each([
  ['resources', emptyMessages(1, 1_000_000)],
  ['scopes', inField(1, emptyMessages(2, 1_000_000))],
  ['spans', inField(1, inField(2, emptyMessages(2, 1_000_000)))]
])('a million empty %s are rejected before they are read', async (_what, body) => {
  await expect(spansIn('protobuf', body)).rejects.toMatchObject({ code: 'payload_too_large' })
})

test.each([
  ['attributes', 9],
  ['events', 11]
])('a span with very many empty %s is rejected alone', async (_what, field) => {
  const span = emptyMessages(field, 20_000)
  const [placed] = await placedIn('protobuf', inField(1, inField(2, inField(2, span))))
  expect(() => placed?.read()).toThrow('more than 10000 values')
})

test('a name that is repeated very often is rejected', async () => {
  const span = Buffer.concat(Array.from({ length: 60_000 }, () => inField(5, Buffer.from('n'))))
  const [placed] = await placedIn('protobuf', inField(1, inField(2, inField(2, span))))
  expect(() => placed?.read()).toThrow('more than 10000 values')
})

test('resources with very many values are rejected', async () => {
  const resource = inField(1, inField(1, emptyMessages(1, 9000)))
  const body = Buffer.concat(Array.from({ length: 12 }, () => resource))
  await expect(spansIn('protobuf', body)).rejects.toMatchObject({ code: 'payload_too_large' })
})

test('a group is malformed', async () => {
  const group = Buffer.from([0x0b, 0x0c])
  await expect(spansIn('protobuf', group)).rejects.toMatchObject({ code: 'malformed_request' })
})

test('a field that is longer than its message is malformed', async () => {
  const name = Buffer.from([0x2a, 5, 97])
  const body = Buffer.concat([inField(1, inField(2, inField(2, name))), Buffer.alloc(9)])
  await expect(spansIn('protobuf', body)).rejects.toMatchObject({ code: 'malformed_request' })
})

test('many values in JSON are rejected before they are parsed', async () => {
  const body = Buffer.from(`{"resourceSpans":[${'{},'.repeat(1_000_001)}{}]}`)
  await expect(spansIn('json', body)).rejects.toMatchObject({ code: 'malformed_request' })
})

test('long integers in JSON keep their digits outside and inside of strings', async () => {
  const text = '"intValue":9007199254740993'
  const attributes = [
    { key: 'text', value: { stringValue: text } },
    { key: 'number', value: { intValue: 1 } },
    { key: 'none', value: { intValue: null } }
  ]
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ attributes }] }] }] })
  const [span] = await spansIn('json', Buffer.from(body.replace('"intValue":1', text)))
  expect(span?.attributes).toEqual(
    new Map<string, Value>([
      ['text', text],
      ['number', 9007199254740993n],
      ['none', null]
    ])
  )
})

test('attributes of a resource that cannot be read reject its spans', async () => {
  const deep = Array.from({ length: 70 }).reduce<Written>((inner) => [inner], 1)
  const spans = [aSpan({}), aSpan({})]
  for (const encoding of encodings) {
    const placed = [...(await placedIn(encoding, exportOf(encoding, spans, { deep })))]
    expect(placed).toHaveLength(2)
    for (const { read } of placed) expect(read).toThrow(SpanError)
  }
})
