/** The schema registry, through its Confluent API: ids for writing, schemas for reading.
 *
 * No hot path calls it: its client builds types anew at each `decode`, so callers keep what they
 * get.
 */
import { SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry'
import type { AvroSchema } from '../core/avro-codec.ts'
import { TransientError } from '../core/consumed.ts'
import { createHttpJson } from './http-json.ts'
import type { HttpJson } from './http-json.ts'

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

/**
 * User and password may stand in the URL. `ca` is the PEM of the authorities to trust, instead of
 * those that Node knows.
 */
export function createRegistry(url: string, ca: string | null = null): Registry {
  const http = createHttpJson({ url, ca, timeoutMs: requestTimeoutMs })
  const { baseUrl: host, credentials: auth, agent } = http
  const middlewares = [timeOut]
  const client = new SchemaRegistry({
    ...{ host, retry, middlewares },
    ...(auth === null ? {} : { auth }),
    // An agent for https is one for http as well; the types of the client know only the latter.
    ...(agent === undefined ? {} : { agent })
  })
  const configPath = (subject: string): string => `/config/${encodeURIComponent(subject)}`
  const avro = (schema: string) => ({ type: SchemaType.AVRO as const, schema })

  return {
    idOf: (subject, schemaText) =>
      orNull(() => client.getRegistryIdBySchema(subject, avro(schemaText))),
    schemaOf: (id) => orNull(async () => plainSchemaOf(await client.getSchema(id))),
    register: async (subject, schemaText) => {
      const compatibility = await readCompatibility(http, configPath(subject))
      // The client refuses to register unless it is told the level that the subject has.
      const options = { subject, ...(compatibility === null ? {} : { compatibility }) }
      return (await client.register(avro(schemaText), options as RegisterOptions)).id
    },
    compatibilityOf: (subject) => readCompatibility(http, configPath(subject)),
    setCompatibility: async (subject, compatibility) => {
      const { status } = await http.send('PUT', configPath(subject), { compatibility })
      if (status !== 200) throw new Error(`registry answered ${status} to a change of ${subject}`)
    }
  }
}

/** The client hands out a compiled type; its JSON form is the schema. */
function plainSchemaOf(type: unknown): AvroSchema {
  return JSON.parse(JSON.stringify(type)) as AvroSchema
}

async function readCompatibility(http: HttpJson, path: string): Promise<string | null> {
  const { status, body } = await http.send('GET', path)
  if (status === 404) return null
  if (status !== 200) throw new TransientError(`registry answered ${status}`)
  const { compatibilityLevel } = body as { compatibilityLevel?: string }
  return compatibilityLevel ?? null
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
