/** Decodes messages: returns the value of a message or the reason why it cannot be decoded. */
import type { AvroSchema, DecodePayload } from '../avro/avro-codec.ts'
import { deadLetter } from '../../core/message-outcome.ts'
import type { DeadLetter } from '../../core/message-outcome.ts'
import { readWireFormat, WireFormatError } from '../../core/wire-format.ts'
import type { Message } from '../kafka/message-consumer.ts'
import type { Registry } from './schema-registry.ts'
import { createWriters } from './writers.ts'
import type { BatchWriters } from './writers.ts'

export type Decoded<T> = { readonly kind: 'decoded'; readonly value: T } | DeadLetter

/**
 * Decodes a message. Messages that share `batchWriters` look up each schema id only once, even if
 * the lookup fails.
 * @throws {TransientError} while the writer's schema cannot be fetched
 */
export type Decode<T> = (message: Message, batchWriters?: BatchWriters<T>) => Promise<Decoded<T>>

interface DecodeDependencies<T> {
  readonly registry: Registry
  readonly readerSchema: AvroSchema
  /**
   * Checks rules that the schema cannot express. Returns what is wrong with the value, or null if
   * it can be stored.
   */
  readonly objection: (value: T) => string | null
}

export function createDecode<T>(dependencies: DecodeDependencies<T>): Decode<T> {
  const { registry, readerSchema, objection } = dependencies
  const writerOf = createWriters<T>(registry, readerSchema)

  return async function decode(message, batchWriters = new Map()) {
    if (message.value === null) return refuse('empty_value', 'the message has no value')
    const split = splitValue(message.value)
    if (split instanceof WireFormatError) return refuse('wrong_wire_format', split.message)
    const { decodePayload } = await writerOf(split.schemaId, batchWriters)
    if (decodePayload === null)
      return refuse('unknown_schema', `schema id ${split.schemaId} does not exist`)
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
