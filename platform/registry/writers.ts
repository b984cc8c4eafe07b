/** The schemas that messages were written with, each fetched once and kept compiled. */
import { createDecoderFactory } from '../avro/avro-codec.ts'
import type { AvroSchema, DecodePayload } from '../avro/avro-codec.ts'
import { createAtMost } from '../process/at-most.ts'
import { createCache } from '../process/cache.ts'
import { UnreadableSchemaError } from './schema-registry.ts'
import type { Registry } from './schema-registry.ts'

export interface Writer<T> {
  /** Null when the registry knows no such id. */
  readonly decodePayload: DecodePayload<T> | null
}

/** What a batch has asked for, by schema id: neither is asked for again, whatever the answer. */
export type Asked<T> = Map<number, Promise<Writer<T>>>

/** @throws {TransientError} while the registry does not answer. */
export type WriterOf<T> = (schemaId: number, asked: Asked<T>) => Promise<Writer<T>>

/** Writer schemas kept compiled. */
const writersMax = 1000
/** Random ids in many messages must not become as many requests at once. */
const lookUpsMax = 4

/** Beyond a batch only what was found is remembered: an unknown id may yet be registered. */
export function createWriters<T>(registry: Registry, readerSchema: AvroSchema): WriterOf<T> {
  const decoderOf = createDecoderFactory<T>(readerSchema)
  const writers = createCache<Promise<Writer<T>>>(writersMax)
  const atMost = createAtMost(lookUpsMax)

  function lookUp(schemaId: number): Promise<Writer<T>> {
    const known = writers.get(String(schemaId))
    if (known !== undefined) return known
    const writer = atMost(() => fetchWriter(registry, schemaId, decoderOf))
    writers.set(String(schemaId), writer)
    const forget = (): void => writers.delete(String(schemaId))
    writer.then(({ decodePayload }) => decodePayload ?? forget(), forget)
    return writer
  }

  return function writerOf(schemaId, asked) {
    const writer = asked.get(schemaId) ?? lookUp(schemaId)
    asked.set(schemaId, writer)
    return writer
  }
}

async function fetchWriter<T>(
  registry: Registry,
  schemaId: number,
  decoderOf: (writerSchema: AvroSchema) => DecodePayload<T>
): Promise<Writer<T>> {
  try {
    const schema = await registry.schemaOf(schemaId)
    return schema === null ? { decodePayload: null } : compile(decoderOf, { schemaId, schema })
  } catch (error) {
    if (error instanceof UnreadableSchemaError) return unreadable(schemaId, error)
    throw error
  }
}

function compile<T>(
  decoderOf: (writerSchema: AvroSchema) => DecodePayload<T>,
  { schemaId, schema }: { schemaId: number; schema: AvroSchema }
): Writer<T> {
  try {
    return { decodePayload: decoderOf(schema) }
  } catch (error) {
    return unreadable(schemaId, error)
  }
}

/** It says so for each message, and never changes: what has an id keeps it. */
function unreadable<T>(schemaId: number, cause: unknown): Writer<T> {
  const error = new Error(`schema ${schemaId} cannot be read as ours`, { cause })
  return {
    decodePayload: () => {
      throw error
    }
  }
}
