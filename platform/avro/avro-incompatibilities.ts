/** Whether two versions of an Avro schema can read what the other one wrote. */
import { createDecoderFactory } from './avro-codec.ts'
import type { AvroSchema } from './avro-codec.ts'

/**
 * What FULL compatibility asks of two versions, by the library that reads our topics.
 * @returns why it does not hold, a sentence for each direction; empty when it does.
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
