/** The Confluent wire format: a header that names the schema, followed by the Avro payload.
 *
 *     byte   0        1   2   3   4     5 …
 *          ┌────────┬───────────────┬──────────────┐
 *          │ 0x00   │ schema id, BE │ Avro payload │
 *          └────────┴───────────────┴──────────────┘
 */

export const wireHeaderBytes = 5
const magicByte = 0

export class WireFormatError extends Error {
  override readonly name = 'WireFormatError'
}

/** Writes the magic byte and the schema id into the first five bytes of `target`. */
export function writeWireHeader(target: Buffer, schemaId: number): void {
  target[0] = magicByte
  target.writeUInt32BE(schemaId, 1)
}

/**
 * Splits a record's value into the id of its writer schema and the Avro bytes (a view, not a copy).
 */
export function readWireFormat(value: Buffer): { schemaId: number; payload: Buffer } {
  if (value.length < wireHeaderBytes) {
    throw new WireFormatError(
      `value has ${value.length} bytes, a wire header has ${wireHeaderBytes}`
    )
  }
  if (value[0] !== magicByte) {
    throw new WireFormatError(`first byte is ${value[0]}, expected ${magicByte}`)
  }
  return { schemaId: value.readUInt32BE(1), payload: value.subarray(wireHeaderBytes) }
}
