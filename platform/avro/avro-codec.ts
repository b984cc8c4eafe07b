/** Avro in the Confluent wire format: records to bytes and back, types compiled once. */
import avro from 'avsc'
import './avsc-patch.ts'
import { wireHeaderBytes, writeWireHeader } from '../../core/wire-format.ts'
import { sharedRecordOf } from './shared-records.ts'

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
  return avro.Type.forSchema(schema as avro.Schema, {
    typeHook: sharedRecordOf,
    ...(long === undefined ? {} : { registry: { long } })
  })
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
    const writer = typeOf(writerSchema)
    const isSame = writer.fingerprint().equals(reader.fingerprint())
    const resolver = isSame ? undefined : reader.createResolver(writer)
    const exactResolver = isSame
      ? undefined
      : exactReader.createResolver(typeOf(writerSchema, exactLong))
    return (payload) =>
      fastOrExact(
        () => reader.fromBuffer(payload, resolver) as T,
        () => exactReader.fromBuffer(payload, exactResolver) as T
      )
  }
}
