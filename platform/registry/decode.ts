/** decode: a message's bytes to a value, or the reason why they are none. */
import type { AvroSchema, DecodePayload } from '../avro/avro-codec.ts'
import { deadLetter } from '../../core/consumed.ts'
import type { DeadLetter } from '../../core/consumed.ts'
import { readWireFormat, WireFormatError } from '../../core/wire-format.ts'
import type { Message } from '../kafka/message-consumer.ts'
import type { Registry } from './schema-registry.ts'
import { createWriters } from './writers.ts'
import type { Asked } from './writers.ts'

export type Decoded<T> = { readonly kind: 'decoded'; readonly value: T } | DeadLetter

/**
 * Messages that share `asked` ask the registry for each schema id once, whatever the answer.
 * @throws {TransientError} while the writer's schema cannot be fetched.
 */
export type Decode<T> = (message: Message, asked?: Asked<T>) => Promise<Decoded<T>>

export interface DecodeDependencies<T> {
  readonly registry: Registry
  readonly readerSchema: AvroSchema
  /** What no schema says: null when the value may be stored, or what is wrong with it. */
  readonly objection: (value: T) => string | null
}

export function createDecode<T>(dependencies: DecodeDependencies<T>): Decode<T> {
  const { registry, readerSchema, objection } = dependencies
  const writerOf = createWriters<T>(registry, readerSchema)

  return async function decode(message, asked = new Map()) {
    if (message.value === null) return refuse('empty_value', 'the message has no value')
    const split = splitValue(message.value)
    if (split instanceof WireFormatError) return refuse('wrong_wire_format', split.message)
    const { decodePayload } = await writerOf(split.schemaId, asked)
    if (decodePayload === null)
      return refuse('unknown_schema', `no schema has id ${split.schemaId}`)
    const value = decodeValue(decodePayload, split.payload)
    if (value instanceof Error) return refuse('undecodable', value.message)
    const wrong = objection(value)
    return wrong === null ? { kind: 'decoded', value } : refuse('invalid_decision', wrong)
  }
}

function refuse(reason: DeadLetter['reason'], error: string): DeadLetter {
  return deadLetter('decode', reason, error)
}

function splitValue(value: Buffer): ReturnType<typeof readWireFormat> | WireFormatError {
  try {
    return readWireFormat(value)
  } catch (error) {
    if (error instanceof WireFormatError) return error
    throw error
  }
}

function decodeValue<T>(decodePayload: DecodePayload<T>, payload: Buffer): T | Error {
  try {
    return decodePayload(payload)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
