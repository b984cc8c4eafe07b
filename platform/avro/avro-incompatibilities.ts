/** Checks whether two versions of an Avro schema can read each other's records. */
import { createDecoderFactory } from './avro-codec.ts'
import type { AvroSchema } from './avro-codec.ts'

/**
 * Checks FULL compatibility of two versions, using the library that decodes records at run time.
 * @returns one sentence per failed direction; empty if the versions are compatible
 */
export function incompatibilitiesOf(earlier: AvroSchema, later: AvroSchema): string[] {
  return [
    ...objectionTo('the later version cannot read the earlier', later, earlier),
    ...objectionTo('the earlier version cannot read the later', earlier, later)
  ]
}

function objectionTo(what: string, reader: AvroSchema, writer: AvroSchema): string[] {
  try {
    createDecoderFactory(reader)(writer)
    return []
  } catch (error) {
    return [`${what}: ${error instanceof Error ? error.message : String(error)}`]
  }
}
