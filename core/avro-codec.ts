/** Avro in the Confluent wire format: records to bytes and back, types compiled once. */
import { isUtf8 } from 'node:buffer'
import avro from 'avsc'
import { wireHeaderBytes, writeWireHeader } from './wire-format.ts'

/** An Avro schema as parsed JSON; what it really is, only the library can tell. */
export type AvroSchema = object

export type Encode<T> = (value: T, schemaId: number) => Buffer
export type DecodePayload<T> = (payload: Buffer) => T

/** Records are written one behind the other into slabs of so many bytes. */
const slabBytes = 16 * 1024
/** A record that is larger gets a buffer of its own, so little of a slab is left unused. */
const slabRecordBytesMax = 4 * 1024

/**
 * Compiles `schema` and returns its encoder.
 * A record is written where it stays, behind room for the wire header, and nothing is copied. It
 * shares its slab with its neighbours: whoever keeps one for long keeps them all.
 * @throws when the value does not fit the schema: a missing field, an integer beyond 2^53.
 */
export function createEncode<T>(schema: AvroSchema): Encode<T> {
  const type = typeOf(schema)
  const exact = typeOf(schema, exactLong)
  let slab = Buffer.allocUnsafeSlow(slabBytes)
  let used = 0

  function encodeWith(chosen: avro.Type, value: T): Buffer {
    const start = used
    const end = chosen.encode(value, slab, start + wireHeaderBytes)
    if (end >= 0) {
      used = end
      return slab.subarray(start, end)
    }
    // A negative answer is by how many bytes the record missed the slab's end.
    const size = slabBytes - end - start
    if (size > slabRecordBytesMax) return encodeLarge(chosen, value, size)
    slab = Buffer.allocUnsafeSlow(slabBytes)
    used = 0
    return encodeWith(chosen, value)
  }

  return function encode(value, schemaId) {
    const bytes = fastOrExact(
      () => encodeWith(type, value),
      () => encodeWith(exact, value)
    )
    writeWireHeader(bytes, schemaId)
    return bytes
  }
}

/**
 * avsc's own long ends one short of 2^53 - 1, the largest count that the contract takes. The exact
 * one costs more, so it is asked only where the fast one gave up.
 */
const exactLong = avro.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => safeNumber(bytes.readBigInt64LE()),
  toBuffer: (value: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(BigInt(value))
    return bytes
  },
  fromJSON: Number,
  toJSON: Number,
  isValid: Number.isSafeInteger,
  compare: (left: number, right: number) => left - right
})

function safeNumber(value: bigint): number {
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  throw new RangeError('a long is beyond 2^53 - 1')
}

function fastOrExact<R>(fast: () => R, exact: () => R): R {
  try {
    return fast()
  } catch {
    return exact()
  }
}

/** @throws when it is no Avro schema. */
function typeOf(schema: AvroSchema, long?: avro.Type): avro.Type {
  return avro.Type.forSchema(
    schema as avro.Schema,
    long === undefined ? {} : { registry: { long } }
  )
}

function encodeLarge(type: avro.Type, value: unknown, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  const end = type.encode(value, bytes, wireHeaderBytes)
  return bytes.subarray(0, end)
}

/**
 * Returns a function that makes a decoder from `writerSchema` to the reader's schema.
 * Call it once per writer schema and keep the result: resolving two schemas costs milliseconds.
 * The decoder throws when bytes are missing, left over or not of the writer's schema, and when a
 * text is not UTF-8.
 */
export function createDecoderFactory<T>(readerSchema: AvroSchema) {
  const reader = typeOf(readerSchema)
  const exactReader = typeOf(readerSchema, exactLong)

  return function decoderOf(writerSchema: AvroSchema): DecodePayload<T> {
    const resolver = reader.createResolver(typeOf(writerSchema))
    const exactResolver = exactReader.createResolver(typeOf(writerSchema, exactLong))
    return (payload) =>
      fastOrExact(
        () => reader.fromBuffer(payload, resolver) as T,
        () => exactReader.fromBuffer(payload, exactResolver) as T
      )
  }
}

/** What the reading of texts, arrays and maps needs of the library's inside. */
interface Tap {
  readonly buf: Buffer
  pos: number
  readLong(): number
  skipLong(): void
  readString(): string
  skipString(): void
}
interface ItemType {
  _read(tap: Tap): unknown
  _skip(tap: Tap): void
}
interface Text {
  _read(tap: Tap): string
}
interface Repeated {
  _read(this: { itemsType: ItemType; valuesType: ItemType }, tap: Tap): unknown
  _skip(this: { itemsType: ItemType; valuesType: ItemType }, tap: Tap): void
}

/**
 * avsc believes the count before an array or map: eleven bytes that claim fifty million items end
 * the
 * process out of memory. An item has at least one byte, so no count can exceed the bytes that are
 * left.
 */
function boundedCounts(): void {
  const array = avro.types.ArrayType.prototype as unknown as Repeated
  array._read = function readArray(tap) {
    const items: unknown[] = []
    forEachItem(tap, () => items.push(this.itemsType._read(tap)))
    return items
  }
  array._skip = function skipArray(tap) {
    forEachItem(tap, () => this.itemsType._skip(tap))
  }
  const map = avro.types.MapType.prototype as unknown as Repeated
  map._read = function readMap(tap) {
    const entries: [string, unknown][] = []
    forEachItem(tap, () => entries.push([tap.readString(), this.valuesType._read(tap)]))
    return Object.fromEntries(entries)
  }
  map._skip = function skipMap(tap) {
    forEachItem(tap, () => {
      tap.skipString()
      this.valuesType._skip(tap)
    })
  }
}

function forEachItem(tap: Tap, item: () => void): void {
  for (let count = blockCount(tap); count > 0; count = blockCount(tap)) {
    for (let done = 0; done < count; done++) item()
  }
}

/** A negative count is followed by the block's size in bytes. */
function blockCount(tap: Tap): number {
  const count = tap.readLong()
  if (count < 0) tap.skipLong()
  const left = tap.buf.length - tap.pos
  if (Math.abs(count) <= left || count === 0) return Math.abs(count)
  throw new RangeError(`a block claims ${Math.abs(count)} items and ${left} bytes are left`)
}

/** What stands where bytes were no UTF-8; a text may also hold it by itself. */
const replacement = '\ufffd'

/**
 * avsc repairs what is not UTF-8, so that a lone surrogate or half a character would be stored as
 * something else than was written. The bytes are looked at only where a repair may have been made.
 */
function unrepairedTexts(): void {
  const text = avro.types.StringType.prototype as unknown as Text
  const readRepaired = text._read
  text._read = function readText(tap) {
    const start = tap.pos
    // Nothing where the bytes end before the text does; avsc finds that out at the end.
    const read = readRepaired.call(this, tap) as string | undefined
    if (read?.includes(replacement) === true && !isUtf8(bytesOfText(tap, start))) {
      throw new TypeError('a text is not UTF-8')
    }
    return read as string
  }
}

/** The bytes of a text that begins at `start`, without its length; `tap` stays where it is. */
function bytesOfText(tap: Tap, start: number): Buffer {
  const end = tap.pos
  tap.pos = start
  tap.readLong()
  const bytes = tap.buf.subarray(tap.pos, end)
  tap.pos = end
  return bytes
}

boundedCounts()
unrepairedTexts()
