/** Decodes spans from protobuf, field by field, because building the messages of protobufjs takes
 * twice as long as the whole decision. The definitions are in schemas/opentelemetry/; a test
 * compares this decoder with protobufjs.
 */
import { isUtf8 } from 'node:buffer'
import protobuf from 'protobufjs'
import { TextCache } from '../../platform/process/text-cache.ts'
import { FormatError, LongText, SpanError, TooManyError, placeFor } from './span.ts'
import { spanValuesMax, tooDeep, tooManyValues, valueDepthMax } from './span.ts'
import type { OtlpSpan, PlacedSpan, Signal, SpanDraft, SpanEvent, Value, Values } from './span.ts'

/**
 * Maximum number of fields around spans. 10,000 spans have less than half of them; empty messages
 * could be millions.
 */
const fieldsMax = 50_000
/** Each value takes up to five fields. */
const spanFieldsMax = 5 * spanValuesMax
const resourceValuesMax = 10 * spanValuesMax

class Reader extends protobuf.BufferReader {
  /** The bytes, which the types of protobufjs declare as a Uint8Array. */
  readonly body: Buffer
  fieldsLeft = fieldsMax
  /** Fields that the current span or resource may still have. */
  spanFieldsLeft = spanFieldsMax
  /** Values that all resources together may still have. */
  resourceValuesLeft = resourceValuesMax
  /** Values that the current span may still have. */
  valuesLeft = spanValuesMax

  constructor(body: Buffer) {
    super(body)
    this.body = body
  }

  /** Begins a span or a resource. */
  begin(): void {
    this.valuesLeft = spanValuesMax
    this.spanFieldsLeft = spanFieldsMax
  }

  countValue(): void {
    if (this.valuesLeft-- === 0) throw tooManyValues()
  }
}

/** A part of the body: a message that is read later. */
interface Part {
  readonly start: number
  readonly end: number
}

const lengthType = 2
const statusError = 2
const traceIdBytes = 16
const spanIdBytes = 8
/**
 * Maximum size of a span in bytes, twice that of a decision. Decoding a longer one would block the
 * process.
 */
const spanBytesMax = 8 * 1024 * 1024

/**
 * Returns the spans or log records of a request, which nest under the same field numbers. Throws if
 * it is malformed.
 */
export function* spansOfProtobuf(signal: Signal, body: Buffer): Generator<PlacedSpan> {
  const fields = fieldsOf[signal]
  const reader = new Reader(body)
  for (const resourceSpans of partsIn(reader, whole(body), 1)) {
    const resource = placeFor(() => resourceIn(reader, resourceSpans))
    for (const scopeSpans of partsIn(reader, resourceSpans, 2)) {
      const [scopePart] = partsIn(reader, scopeSpans, 1)
      const scope = scopePart ? nameOf(reader, scopePart) : ''
      for (const span of partsIn(reader, scopeSpans, 2)) {
        yield resource(scope ?? '', () => {
          if (scope === null) throw new SpanError(notUtf8)
          return readSpan(at(reader, span), span.end, fields)
        })
      }
    }
  }
}

function resourceIn(reader: Reader, resourceSpans: Part): Map<string, Value> {
  const resource = new Map<string, Value>()
  const [part] = partsIn(reader, resourceSpans, 1)
  reader.begin()
  for (const pair of part ? partsIn(reader, part, 1) : []) {
    const [key, value] = readPair(at(reader, pair), pair.end, 0)
    if (value !== undefined) resource.set(key, value)
  }
  reader.resourceValuesLeft -= spanValuesMax - reader.valuesLeft
  if (reader.resourceValuesLeft < 0) throw new TooManyError('The resources have too many values')
  return resource
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
  while (isBefore(reader, parent.end)) {
    if (reader.fieldsLeft-- === 0) throw new TooManyError('The request has too many messages')
    const tag = reader.uint32()
    if (tag !== ((field << 3) | lengthType)) {
      skip(reader, tag)
      continue
    }
    const end = endOf(reader, parent.end)
    parts.push({ start: reader.pos, end })
    reader.pos = end
  }
  return parts
}

function isBefore({ pos }: Reader, end: number): boolean {
  if (pos > end) throw new FormatError('a field is longer than its message')
  return pos < end
}

/** Works like `isBefore`, in a span or a resource. Counts its fields. */
function hasMore(reader: Reader, end: number): boolean {
  if (reader.spanFieldsLeft-- <= 0) throw tooManyValues()
  return isBefore(reader, end)
}

const groupTypes = new Set([3, 4])

function skip(reader: Reader, tag: number): void {
  // Groups can nest, and nothing writes them any more.
  if (groupTypes.has(tag & 7)) throw new FormatError('groups are not supported')
  reader.skipType(tag & 7)
}

/** Reads the length of a message. Returns its end. */
function endOf(reader: Reader, parentEnd: number): number {
  const length = reader.uint32()
  const end = reader.pos + length
  if (end > parentEnd) throw new FormatError('a message is longer than what contains it')
  return end
}

/** Returns null if the name is not UTF-8. */
function nameOf(reader: Reader, scope: Part): string | null {
  const [name] = partsIn(reader, scope, 1)
  return name ? texts.read(reader.body, name.start, name.end) : ''
}

type ReadField = (span: SpanDraft, reader: Reader, end: number) => void

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

/** How to read each field of a log record. */
const logFields: ReadonlyMap<number, ReadField> = new Map<number, ReadField>([
  [9, (span, reader) => (span.startNanos = unsignedOf(reader.fixed64()))],
  [42, (span, reader, end) => readBody(span, reader, end)],
  [50, (span, reader, end) => addPair(span.attributes, reader, end)],
  [69, (span, reader) => (span.flags = reader.fixed32())],
  [74, (span, reader, end) => (span.traceId = readId(reader, end, traceIdBytes))],
  [82, (span, reader, end) => (span.spanId = readId(reader, end, spanIdBytes))],
  [89, (span, reader) => (span.endNanos = unsignedOf(reader.fixed64()))],
  [98, (span, reader, end) => (span.name = readText(reader, end))]
])

const fieldsOf = { traces: spanFields, logs: logFields }

/** Reads the members of a body, because older events have their content there. */
function readBody(span: SpanDraft, reader: Reader, end: number): void {
  const body = readValue(reader, endOf(reader, end), 0)
  if (body instanceof Map) span.events.push({ name: '', attributes: body as Values })
}

function readSpan(reader: Reader, end: number, fields: ReadonlyMap<number, ReadField>): OtlpSpan {
  if (end - reader.pos > spanBytesMax)
    throw new SpanError(`a span has more than ${spanBytesMax} bytes`)
  reader.begin()
  const span: SpanDraft = {
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
  while (hasMore(reader, end)) {
    const tag = reader.uint32()
    const readField = fields.get(tag)
    if (readField === undefined) skip(reader, tag)
    else readField(span, reader, end)
  }
  return span
}

function readStatus(span: SpanDraft, reader: Reader, end: number): void {
  while (hasMore(reader, end)) {
    const tag = reader.uint32()
    if (tag === 18) span.statusMessage = readText(reader, end)
    else if (tag === 24) span.isError = reader.int32() === statusError
    else skip(reader, tag)
  }
}

function readEvent(reader: Reader, end: number): SpanEvent {
  reader.countValue()
  let name = ''
  const attributes = new Map<string, Value>()
  while (hasMore(reader, end)) {
    const tag = reader.uint32()
    if (tag === 18) name = readText(reader, end)
    else if (tag === 26) addPair(attributes, reader, end)
    else skip(reader, tag)
  }
  return { name, attributes }
}

/** Reads a KeyValue and adds it to `values`. */
function addPair(values: Map<string, Value>, reader: Reader, parentEnd: number): void {
  const [key, value] = readPair(reader, endOf(reader, parentEnd), 0)
  if (value !== undefined) values.set(key, value)
}

function readPair(reader: Reader, end: number, depth: number) {
  reader.countValue()
  let key = ''
  let value: Value | undefined
  while (hasMore(reader, end)) {
    const tag = reader.uint32()
    if (tag === 10) key = readText(reader, end)
    else if (tag === 18) value = readValue(reader, endOf(reader, end), depth)
    else skip(reader, tag)
  }
  return [key, value] as const
}

/** Reads an AnyValue. Returns null if it has no member. */
function readValue(reader: Reader, end: number, depth: number): Value {
  if (depth > valueDepthMax) throw tooDeep()
  reader.countValue()
  let value: Value = null
  while (hasMore(reader, end)) {
    const tag = reader.uint32()
    if (tag === 10) value = readTextValue(reader, end)
    else if (tag === 16) value = reader.bool()
    else if (tag === 24) value = integerOf(reader.int64())
    else if (tag === 33) value = reader.double()
    else if (tag === 42) value = readList(reader, endOf(reader, end), depth + 1)
    else if (tag === 50) value = readMap(reader, endOf(reader, end), depth + 1)
    else if (tag === 58) value = Buffer.from(reader.bytes())
    else skip(reader, tag)
  }
  return value
}

function readList(reader: Reader, end: number, depth: number): Value[] {
  const values: Value[] = []
  while (hasMore(reader, end)) {
    const tag = reader.uint32()
    if (tag === 10) values.push(readValue(reader, endOf(reader, end), depth))
    else skip(reader, tag)
  }
  return values
}

function readMap(reader: Reader, end: number, depth: number): Map<string, Value> {
  const values = new Map<string, Value>()
  while (hasMore(reader, end)) {
    const tag = reader.uint32()
    if (tag !== 10) {
      skip(reader, tag)
      continue
    }
    const [key, value] = readPair(reader, endOf(reader, end), depth)
    values.set(key, value ?? null)
  }
  return values
}

function readId(reader: Reader, parentEnd: number, bytes: number): string | null {
  const end = endOf(reader, parentEnd)
  let at = reader.pos
  while (at < end && reader.body[at] === 0) at += 1
  const isId = at < end && end - reader.pos === bytes
  const id = isId ? reader.body.toString('hex', reader.pos, end) : null
  reader.pos = end
  return id
}

function readText(reader: Reader, parentEnd: number): string {
  const end = endOf(reader, parentEnd)
  const text = textIn(reader.body, reader.pos, end)
  reader.pos = end
  return text
}

const longTextMin = 41
const notUtf8 = 'a string is not UTF-8'

function readTextValue(reader: Reader, parentEnd: number): string | LongText {
  const end = endOf(reader, parentEnd)
  const bytes = end - reader.pos < longTextMin ? null : reader.body.subarray(reader.pos, end)
  if (bytes !== null && !isUtf8(bytes)) throw new SpanError(notUtf8)
  const text = bytes === null ? textIn(reader.body, reader.pos, end) : new LongText(bytes)
  reader.pos = end
  return text
}

/** Names and many values repeat in every span. */
const texts = new TextCache()

function textIn(bytes: Buffer, start: number, end: number): string {
  const text = texts.read(bytes, start, end)
  if (text === null) throw new SpanError(notUtf8)
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
