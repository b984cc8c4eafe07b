/** decode: a message's bytes to a value, or the reason why they are none. */
import { createDecoderFactory } from '../core/avro-codec.ts'
import type { AvroSchema, DecodePayload } from '../core/avro-codec.ts'
import { deadLetter } from '../core/consumed.ts'
import type { DeadLetter } from '../core/consumed.ts'
import { readWireFormat, WireFormatError } from '../core/wire-format.ts'
import { createCache } from './cache.ts'
import type { Message } from './message-consumer.ts'
import type { Registry } from './schema-registry.ts'

export type Decoded<T> = { readonly kind: 'decoded'; readonly value: T } | DeadLetter

/** @throws {TransientError} while the writer's schema cannot be fetched. */
export type Decode<T> = (message: Message) => Promise<Decoded<T>>

export interface DecodeDependencies<T> {
  readonly registry: Registry
  readonly readerSchema: AvroSchema
  /** What no schema says: null when the value may be stored, or what is wrong with it. */
  readonly objection: (value: T) => string | null
}

/** Writer schemas kept compiled. */
const writersMax = 1000

interface Writer<T> {
  /** Null when the registry knows no such id. */
  readonly decodePayload: DecodePayload<T> | null
}

export function createDecode<T>(dependencies: DecodeDependencies<T>): Decode<T> {
  const { registry, readerSchema, objection } = dependencies
  const decoderOf = createDecoderFactory<T>(readerSchema)
  const writers = createCache<Promise<Writer<T>>>(writersMax)

  function writerOf(schemaId: number): Promise<Writer<T>> {
    const known = writers.get(String(schemaId))
    if (known !== undefined) return known
    const writer = fetchWriter(registry, schemaId, decoderOf)
    writers.set(String(schemaId), writer)
    // Neither an outage nor an id that may yet be registered is remembered.
    const forget = (): void => writers.delete(String(schemaId))
    writer.then(({ decodePayload }) => decodePayload ?? forget(), forget)
    return writer
  }

  return async function decode(message) {
    if (message.value === null) return refuse('empty_value', 'the message has no value')
    const split = splitValue(message.value)
    if (split instanceof WireFormatError) return refuse('wrong_wire_format', split.message)
    const { decodePayload } = await writerOf(split.schemaId)
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

async function fetchWriter<T>(
  registry: Registry,
  schemaId: number,
  decoderOf: (writerSchema: AvroSchema) => DecodePayload<T>
): Promise<Writer<T>> {
  const schema = await registry.schemaOf(schemaId)
  if (schema === null) return { decodePayload: null }
  try {
    return { decodePayload: decoderOf(schema) }
  } catch (cause) {
    const error = new Error(`schema ${schemaId} cannot be read as ours`, { cause })
    return {
      decodePayload: () => {
        throw error
      }
    }
  }
}
