/** Avro in the Confluent wire format: records to bytes and back, types compiled once. */
import avro from 'avsc'
import { wireHeaderBytes, writeWireHeader } from './wire-format.ts'

/** An Avro schema as parsed JSON; what it really is, only the library can tell. */
export type AvroSchema = object

export type Encode<T> = (value: T, schemaId: number) => Buffer
export type DecodePayload<T> = (payload: Buffer) => T

const scratchBytes = 64 * 1024

/**
 * Compiles `schema` and returns its encoder.
 * A record is written into one scratch buffer behind room for the wire header and copied out once:
 * joining a header to avsc's own buffer would copy every decision twice.
 * @throws when the value does not fit the schema: a missing field, an integer beyond 2^53.
 */
export function createEncode<T>(schema: AvroSchema): Encode<T> {
  const type = typeOf(schema)
  const scratch = Buffer.allocUnsafe(scratchBytes)

  return function encode(value, schemaId) {
    const end = type.encode(value, scratch, wireHeaderBytes)
    // A negative answer is by how many bytes the record missed the buffer's end.
    const bytes = end >= 0 ? copyOf(scratch, end) : encodeLarge(type, value, scratchBytes - end)
    writeWireHeader(bytes, schemaId)
    return bytes
  }
}

/** @throws when it is no Avro schema. */
function typeOf(schema: AvroSchema): avro.Type {
  return avro.Type.forSchema(schema as avro.Schema)
}

function copyOf(scratch: Buffer, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end)
  scratch.copy(bytes, 0, 0, end)
  return bytes
}

function encodeLarge(type: avro.Type, value: unknown, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  const end = type.encode(value, bytes, wireHeaderBytes)
  return bytes.subarray(0, end)
}

/**
 * Returns a function that makes a decoder from `writerSchema` to the reader's schema.
 * Call it once per writer schema and keep the result: resolving two schemas costs milliseconds.
 * The decoder throws when bytes are missing, left over or not of the writer's schema.
 */
export function createDecoderFactory<T>(readerSchema: AvroSchema) {
  const reader = typeOf(readerSchema)

  return function decoderOf(writerSchema: AvroSchema): DecodePayload<T> {
    const writer = typeOf(writerSchema)
    const resolver = reader.createResolver(writer)
    return (payload) => reader.fromBuffer(payload, resolver) as T
  }
}
