/** Decodes spans from protobuf, field by field, because building the messages of protobufjs takes
 * twice as long as the whole decision. The definitions are in schemas/opentelemetry/; a test
 * compares this decoder with protobufjs.
 */
import { isUtf8 } from 'node:buffer'
import protobuf from 'protobufjs'
import { FormatError, idOfHex, tooDeep, valueDepthMax } from './span.ts'
import type { OtlpSpan, PlacedSpan, SpanEvent, Value } from './span.ts'

const { BufferReader } = protobuf
type Reader = InstanceType<typeof BufferReader> & { readonly buf: Buffer }

/** A part of the body: a message that is read later. */
interface Part {
  readonly start: number
  readonly end: number
}

const lengthType = 2
const statusError = 2
const traceIdBytes = 16
const spanIdBytes = 8

/** Returns the spans of an ExportTraceServiceRequest. Throws if it is malformed. */
export function* spansOfProtobuf(body: Buffer): Generator<PlacedSpan> {
  const reader = new BufferReader(body) as Reader
  for (const resourceSpans of partsIn(reader, whole(body), 1)) {
    const [resourcePart] = partsIn(reader, resourceSpans, 1)
    const resource = new Map<string, Value>()
    for (const pair of resourcePart ? partsIn(reader, resourcePart, 1) : []) {
      const [key, value] = readPair(at(reader, pair), pair.end, 0)
      if (value !== undefined) resource.set(key, value)
    }
    for (const scopeSpans of partsIn(reader, resourceSpans, 2)) {
      const [scopePart] = partsIn(reader, scopeSpans, 1)
      const scope = scopePart ? nameOf(reader, scopePart) : ''
      for (const span of partsIn(reader, scopeSpans, 2)) {
        yield { resource, scope, read: () => readSpan(at(reader, span), span.end) }
      }
    }
  }
}

function whole(body: Buffer): Part {
  return { start: 0, end: body.length }
}

function at(reader: Reader, { start }: Part): Reader {
  reader.pos = start
  return reader
}

/** Returns the places of all messages in a repeated field. */
function partsIn(reader: Reader, parent: Part, field: number): Part[] {
  const parts: Part[] = []
  at(reader, parent)
  while (reader.pos < parent.end) {
    const tag = reader.uint32()
    if (tag !== ((field << 3) | lengthType)) {
      reader.skipType(tag & 7)
      continue
    }
    const end = endOf(reader, parent.end)
    parts.push({ start: reader.pos, end })
    reader.pos = end
  }
  return parts
}

/** Reads the length of a message. Returns its end. */
function endOf(reader: Reader, parentEnd: number): number {
  const length = reader.uint32()
  const end = reader.pos + length
  if (end > parentEnd) throw new FormatError('a message is longer than what contains it')
  return end
}

function nameOf(reader: Reader, scope: Part): string {
  const [name] = partsIn(reader, scope, 1)
  return name ? textIn(reader.buf, name.start, name.end) : ''
}

/** A span that is being read. */
type Draft = { -readonly [Name in keyof OtlpSpan]: OtlpSpan[Name] } & { events: SpanEvent[] }

type ReadField = (span: Draft, reader: Reader, end: number) => void

/** How to read each field of a span, by its tag: the field's number, and its type. */
const spanFields: ReadonlyMap<number, ReadField> = new Map<number, ReadField>([
  [10, (span, reader, end) => (span.traceId = readId(reader, end, traceIdBytes))],
  [18, (span, reader, end) => (span.spanId = readId(reader, end, spanIdBytes))],
  [34, (span, reader, end) => (span.parentSpanId = readId(reader, end, spanIdBytes))],
  [42, (span, reader, end) => (span.name = readText(reader, end))],
  [57, (span, reader) => (span.startNanos = unsignedOf(reader.fixed64()))],
  [65, (span, reader) => (span.endNanos = unsignedOf(reader.fixed64()))],
  [74, (span, reader, end) => addPair(span.attributes, reader, end)],
  [80, (span, reader) => (span.droppedAttributes = reader.uint32())],
  [90, (span, reader, end) => void span.events.push(readEvent(reader, endOf(reader, end)))],
  [122, (span, reader, end) => readStatus(span, reader, endOf(reader, end))],
  [133, (span, reader) => (span.flags = reader.fixed32())]
])

function readSpan(reader: Reader, end: number): OtlpSpan {
  const span: Draft = {
    traceId: null,
    spanId: null,
    parentSpanId: null,
    name: '',
    flags: 0,
    startNanos: 0,
    endNanos: 0,
    attributes: new Map(),
    droppedAttributes: 0,
    events: [],
    isError: false,
    statusMessage: ''
  }
  while (reader.pos < end) {
    const tag = reader.uint32()
    const readField = spanFields.get(tag)
    if (readField === undefined) reader.skipType(tag & 7)
    else readField(span, reader, end)
  }
  return span
}

function readStatus(span: Draft, reader: Reader, end: number): void {
  while (reader.pos < end) {
    const tag = reader.uint32()
    if (tag === 18) span.statusMessage = readText(reader, end)
    else if (tag === 24) span.isError = reader.int32() === statusError
    else reader.skipType(tag & 7)
  }
}

function readEvent(reader: Reader, end: number): SpanEvent {
  let name = ''
  const attributes = new Map<string, Value>()
  while (reader.pos < end) {
    const tag = reader.uint32()
    if (tag === 18) name = readText(reader, end)
    else if (tag === 26) addPair(attributes, reader, end)
    else reader.skipType(tag & 7)
  }
  return { name, attributes }
}

/** Reads a KeyValue and adds it to `values`. */
function addPair(values: Map<string, Value>, reader: Reader, parentEnd: number): void {
  const [key, value] = readPair(reader, endOf(reader, parentEnd), 0)
  if (value !== undefined) values.set(key, value)
}

function readPair(reader: Reader, end: number, depth: number) {
  let key = ''
  let value: Value | undefined
  while (reader.pos < end) {
    const tag = reader.uint32()
    if (tag === 10) key = readText(reader, end)
    else if (tag === 18) value = readValue(reader, endOf(reader, end), depth)
    else reader.skipType(tag & 7)
  }
  return [key, value] as const
}

/** Reads an AnyValue. Returns null if it has no member. */
function readValue(reader: Reader, end: number, depth: number): Value {
  if (depth > valueDepthMax) throw tooDeep()
  let value: Value = null
  while (reader.pos < end) {
    const tag = reader.uint32()
    if (tag === 10) value = readText(reader, end)
    else if (tag === 16) value = reader.bool()
    else if (tag === 24) value = integerOf(reader.int64())
    else if (tag === 33) value = reader.double()
    else if (tag === 42) value = readList(reader, endOf(reader, end), depth + 1)
    else if (tag === 50) value = readMap(reader, endOf(reader, end), depth + 1)
    else if (tag === 58) value = Buffer.from(reader.bytes())
    else reader.skipType(tag & 7)
  }
  return value
}

function readList(reader: Reader, end: number, depth: number): Value[] {
  const values: Value[] = []
  while (reader.pos < end) {
    const tag = reader.uint32()
    if (tag === 10) values.push(readValue(reader, endOf(reader, end), depth))
    else reader.skipType(tag & 7)
  }
  return values
}

function readMap(reader: Reader, end: number, depth: number): Map<string, Value> {
  const values = new Map<string, Value>()
  while (reader.pos < end) {
    const tag = reader.uint32()
    if (tag !== 10) {
      reader.skipType(tag & 7)
      continue
    }
    const [key, value] = readPair(reader, endOf(reader, end), depth)
    values.set(key, value ?? null)
  }
  return values
}

function readId(reader: Reader, parentEnd: number, bytes: number): string | null {
  const end = endOf(reader, parentEnd)
  const hex = reader.buf.toString('hex', reader.pos, end)
  reader.pos = end
  return idOfHex(hex, bytes)
}

function readText(reader: Reader, parentEnd: number): string {
  const end = endOf(reader, parentEnd)
  const text = textIn(reader.buf, reader.pos, end)
  reader.pos = end
  return text
}

const replacement = '\ufffd'

function textIn(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end)
  if (text.includes(replacement) && !isUtf8(bytes.subarray(start, end))) {
    throw new FormatError('a string is not UTF-8')
  }
  return text
}

/** A 64-bit integer of protobufjs: a Long, because the package `long` is installed with it. */
type Long = ReturnType<Reader['int64']>

const high = 2 ** 32

/** Returns an integer with the precision of a double. */
function unsignedOf(long: Long): number {
  return (long.high >>> 0) * high + (long.low >>> 0)
}

function integerOf(long: Long): number | bigint {
  const number = long.high * high + (long.low >>> 0)
  if (Number.isSafeInteger(number)) return number
  return (BigInt(long.high) << 32n) | BigInt(long.low >>> 0)
}
