/** The schema registry, through its Confluent API: ids for writing, schemas for reading.
 *
 * No hot path calls it: its client builds types anew at each `decode`, so callers keep what they
 * get.
 */
import { SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry'
import type { AvroSchema } from '../core/avro-codec.ts'
import { TransientError } from '../core/consumed.ts'

export interface Registry {
  /** Id under which exactly this schema is registered, or null. @throws {TransientError} */
  idOf(subject: string, schemaText: string): Promise<number | null>
  /** The schema with this id, or null when there is none. @throws {TransientError} */
  schemaOf(id: number): Promise<AvroSchema | null>
  /** Registers the schema and returns its id; a no-op when it is there. */
  register(subject: string, schemaText: string): Promise<number>
  /** The level set on the subject itself, or null when it follows the registry's default. */
  compatibilityOf(subject: string): Promise<string | null>
  setCompatibility(subject: string, level: string): Promise<void>
}

type ClientOptions = ConstructorParameters<typeof SchemaRegistry>[0]
type Middleware = NonNullable<ClientOptions['middlewares']>[number]
type RegisterOptions = Parameters<SchemaRegistry['register']>[1]

const requestTimeoutMs = 5000
const retry = { maxRetryTimeInSecs: 2, initialRetryTimeInSecs: 0.1, retries: 2 }

/** The client sets no time-out of its own, and a frozen registry would hold its caller for ever. */
const timeOut: Middleware = () => ({
  prepareRequest: async (next) => (await next()).enhance({ timeout: requestTimeoutMs })
})

export function createRegistry(baseUrl: string): Registry {
  const client = new SchemaRegistry({ host: baseUrl, retry, middlewares: [timeOut] })
  const configUrl = (subject: string): string => `${baseUrl}/config/${encodeURIComponent(subject)}`
  const avro = (schema: string) => ({ type: SchemaType.AVRO as const, schema })

  return {
    idOf: (subject, schemaText) =>
      orNull(() => client.getRegistryIdBySchema(subject, avro(schemaText))),
    schemaOf: (id) => orNull(async () => plainSchemaOf(await client.getSchema(id))),
    register: async (subject, schemaText) => {
      const compatibility = await readCompatibility(configUrl(subject))
      // The client refuses to register unless it is told the level that the subject has.
      const options = { subject, ...(compatibility === null ? {} : { compatibility }) }
      return (await client.register(avro(schemaText), options as RegisterOptions)).id
    },
    compatibilityOf: (subject) => readCompatibility(configUrl(subject)),
    setCompatibility: async (subject, compatibility) => {
      const body = JSON.stringify({ compatibility })
      const headers = { 'content-type': 'application/vnd.schemaregistry.v1+json' }
      const answer = await send(configUrl(subject), { method: 'PUT', body, headers })
      if (!answer.ok)
        throw new Error(`registry answered ${answer.status} to a change of ${subject}`)
    }
  }
}

/** The client hands out a compiled type; its JSON form is the schema. */
function plainSchemaOf(type: unknown): AvroSchema {
  return JSON.parse(JSON.stringify(type)) as AvroSchema
}

async function readCompatibility(url: string): Promise<string | null> {
  const answer = await send(url, { method: 'GET' })
  if (answer.status === 404) return null
  if (!answer.ok) throw new TransientError(`registry answered ${answer.status}`)
  const { compatibilityLevel } = (await answer.json()) as { compatibilityLevel?: string }
  return compatibilityLevel ?? null
}

function send(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, signal: AbortSignal.timeout(requestTimeoutMs) })
}

/** Only the registry's own "not found" means absent; silence and errors mean "ask again". */
async function orNull<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call()
  } catch (error) {
    if (isNotFound(error)) return null
    throw new TransientError('the schema registry does not answer', { cause: error })
  }
}

/** One of the client's methods wraps its 404 into an error without a status, and nothing else. */
function isNotFound(error: unknown): boolean {
  const { status, name } = error as { status?: number; name?: string }
  return status === 404 || name === 'ConfluentSchemaRegistryError'
}
