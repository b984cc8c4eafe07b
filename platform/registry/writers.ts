/** Writer schemas: fetches each schema once and caches its compiled decoder. */
import { createDecoderFactory } from '../avro/avro-codec.ts'
import type { AvroSchema, DecodePayload } from '../avro/avro-codec.ts'
import { createAtMost } from '../process/at-most.ts'
import { createCache } from '../process/cache.ts'
import { UnreadableSchemaError } from './schema-registry.ts'
import type { Registry } from './schema-registry.ts'

export interface Writer<T> {
  /** Null if the id is not registered. */
  readonly decodePayload: DecodePayload<T> | null
}

/** Lookups of one batch, by schema id. Each id is looked up only once, even if the lookup fails. */
export type BatchWriters<T> = Map<number, Promise<Writer<T>>>

/** @throws {TransientError} while the registry does not respond or responds with an error */
export type WriterOf<T> = (schemaId: number, batchWriters: BatchWriters<T>) => Promise<Writer<T>>

/** Maximum number of compiled writer schemas. */
const writersMax = 1000
/**
 * Maximum number of concurrent lookups, so that messages with random ids do not overload the
 * registry.
 */
const lookUpsMax = 4

/**
 * Creates the lookup function. Across batches, it caches only schemas that exist, because an
 * unknown id can be registered later.
 */
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

  return function writerOf(schemaId, batchWriters) {
    const writer = batchWriters.get(schemaId) ?? lookUp(schemaId)
    batchWriters.set(schemaId, writer)
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

/**
 * Returns a decoder that fails for every message. The failure is permanent, because the schema of
 * an id never changes.
 */
function unreadable<T>(schemaId: number, cause: unknown): Writer<T> {
  const error = new Error(`schema ${schemaId} is not compatible with the reader schema`, { cause })
  return {
    decodePayload: () => {
      throw error
    }
  }
}
