/** Avro codec: encodes and decodes records in the Confluent wire format, with compiled types. */
import avro from 'avsc'
import './avsc-patch.ts'
import { wireHeaderBytes, writeWireHeader } from '../../core/wire-format.ts'
import { sharedRecordOf } from './shared-records.ts'

/** An Avro schema as parsed JSON. */
export type AvroSchema = object

export type Encode<T> = (value: T, schemaId: number) => Buffer
export type DecodePayload<T> = (payload: Buffer) => T

/** Size of a slab in bytes. A slab is a buffer shared by many encoded records. */
const slabBytes = 16 * 1024
/**
 * Maximum size in bytes of a record for which a new slab is started. A larger record that does not
 * fit in the current slab gets its own buffer, to limit the space wasted in slabs.
 */
const slabRecordBytesMax = 4 * 1024

/**
 * Compiles `schema` and returns its encoder. The encoder reserves room for the wire header and
 * writes the record after it, so that adding the header does not copy the record. Retaining one
 * record retains its whole slab.
 * @throws if `schema` is not an Avro schema. The encoder throws if a value does not match it, for
 * example if a field is missing or an integer exceeds 2^53 - 1.
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
    // If the slab is too small, `encode` returns the number of missing bytes, negated.
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
 * A long type that accepts 2^53 - 1, the largest count in the contract. avsc's own type stops at
 * 2^53 - 2 but is faster, so this type is used only if avsc's own type fails.
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
  throw new RangeError('a long exceeds 2^53 - 1')
}

function fastOrExact<R>(fast: () => R, exact: () => R): R {
  try {
    return fast()
  } catch {
    return exact()
  }
}

/** @throws if `schema` is not an Avro schema */
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
 * Returns a function that creates a decoder for the records of a writer schema. Decoded values have
 * the form of `readerSchema`. Resolving two schemas takes milliseconds, so create one decoder per
 * writer schema and keep it. A decoder throws if bytes are missing or left over, if the payload
 * does not match the writer schema, or if a string is not UTF-8.
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
