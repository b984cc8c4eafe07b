/** Schema registry client (Confluent API): provides ids for writing and schemas for reading.
 *
 * Do not call it on hot paths, because every call sends a request. Callers cache the results. The
 * library's `decode` is not used, because it rebuilds types on every call.
 */
import { SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry'
import type { AvroSchema } from '../avro/avro-codec.ts'
import { TransientError } from '../../core/message-outcome.ts'
import { createHttpJson } from '../http-client/http-json.ts'
import type { HttpJson } from '../http-client/http-json.ts'

export interface Registry {
  /**
   * Returns the id under which exactly this schema is registered, or null if there is none.
   * @throws {TransientError} if the registry does not respond or responds with an error
   */
  idOf(subject: string, schemaText: string): Promise<number | null>
  /**
   * Returns the schema with this id, or null if it does not exist.
   * @throws {TransientError} if the registry does not respond or responds with an error
   * @throws {UnreadableSchemaError} if the id belongs to something other than an Avro schema
   */
  schemaOf(id: number): Promise<AvroSchema | null>
  /** Registers the schema if it is new and returns its id. */
  register(subject: string, schemaText: string): Promise<number>
  /**
   * Returns the compatibility level set on the subject, or null if the registry's default applies.
   */
  compatibilityOf(subject: string): Promise<string | null>
  setCompatibility(subject: string, level: string): Promise<void>
}

/** Thrown if an id is registered but its schema cannot be used as an Avro schema. */
export class UnreadableSchemaError extends Error {
  override readonly name = 'UnreadableSchemaError'
}

type ClientOptions = ConstructorParameters<typeof SchemaRegistry>[0]
type Middleware = NonNullable<ClientOptions['middlewares']>[number]
type RegisterOptions = Parameters<SchemaRegistry['register']>[1]

const requestTimeoutMs = 5000
const retry = { maxRetryTimeInSecs: 2, initialRetryTimeInSecs: 0.1, retries: 2 }

/** Sets a timeout. The client has none, so a frozen registry would block its caller forever. */
const timeOut: Middleware = () => ({
  prepareRequest: async (next) => (await next()).enhance({ timeout: requestTimeoutMs })
})

/**
 * @param url the URL of the registry; can contain a user name and password
 * @param ca CA certificates (PEM) that replace those of Node.js
 */
export function createRegistry(url: string, ca: string | null = null): Registry {
  const http = createHttpJson({ url, ca, timeoutMs: requestTimeoutMs })
  const { baseUrl: host, credentials: auth, agent } = http
  const middlewares = [timeOut]
  const client = new SchemaRegistry({
    host,
    retry,
    middlewares,
    ...(auth === null ? {} : { auth }),
    ...(agent === undefined ? {} : { agent })
  })
  const configPath = (subject: string): string => `/config/${encodeURIComponent(subject)}`
  const avro = (schema: string) => ({ type: SchemaType.AVRO as const, schema })

  return {
    idOf: async (subject, schemaText) => {
      const path = `/subjects/${encodeURIComponent(subject)}`
      const found = await readOwn(http, ['POST', path, { schema: schemaText }])
      return found === null ? null : idIn(found)
    },
    schemaOf: async (id) => {
      const found = await readOwn(http, ['GET', `/schemas/ids/${id}`])
      if (found === null) return null
      // The client resolves references to other schemas. Sluice's own schemas have no references.
      const isComposed = Array.isArray(found['references']) && found['references'].length > 0
      return isComposed ? composedSchema(client, id) : schemaOfText(found)
    },
    register: async (subject, schemaText) => {
      const compatibility = await readCompatibility(http, configPath(subject))
      // The client rejects a registration if this option differs from the subject's compatibility
      // level.
      const options = { subject, ...(compatibility === null ? {} : { compatibility }) }
      return (await client.register(avro(schemaText), options as RegisterOptions)).id
    },
    compatibilityOf: (subject) => readCompatibility(http, configPath(subject)),
    setCompatibility: async (subject, compatibility) => {
      const { status } = await http.send('PUT', configPath(subject), { compatibility })
      if (status !== 200)
        throw new Error(`the schema registry responded with ${status} to a change of ${subject}`)
    }
  }
}

async function composedSchema(client: SchemaRegistry, id: number): Promise<AvroSchema> {
  try {
    // The client returns a compiled type. Its JSON form is the schema.
    return JSON.parse(JSON.stringify(await client.getSchema(id))) as AvroSchema
  } catch (cause) {
    if ((cause as { status?: unknown }).status === undefined) {
      throw new UnreadableSchemaError('its parts are not an Avro schema', { cause })
    }
    throw new TransientError('the schema registry does not respond', { cause })
  }
}

async function readCompatibility(http: HttpJson, path: string): Promise<string | null> {
  const { compatibilityLevel } = (await readOwn(http, ['GET', path])) ?? {}
  return typeof compatibilityLevel === 'string' ? compatibilityLevel : null
}

/**
 * Error codes for a missing subject, version or schema, and for a subject without a compatibility
 * level.
 */
const absentCodes: readonly unknown[] = [40401, 40402, 40403, 40408]

const reasonCharactersMax = 200

interface Refusal {
  readonly error_code?: unknown
  readonly message?: unknown
}

/**
 * Returns the body of the registry's response, or null if the registry reports that the object does
 * not exist. A 404 without one of the registry's error codes proves nothing, because it comes from
 * elsewhere, for example a proxy.
 * @throws {TransientError} for any other response, or if the registry does not respond
 */
async function readOwn(
  http: HttpJson,
  request: Parameters<HttpJson['send']>
): Promise<Readonly<Record<string, unknown>> | null> {
  const { status, body } = await http.send(...request).catch((cause: unknown) => {
    throw new TransientError('the schema registry does not respond', { cause })
  })
  const isObject = typeof body === 'object' && body !== null
  if (status === 200 && isObject) return body as Record<string, unknown>
  const { error_code: code, message } = (isObject ? body : {}) as Refusal
  if (status === 404 && absentCodes.includes(code)) return null
  const why =
    typeof message === 'string' ? message.slice(0, reasonCharactersMax) : 'no reason given'
  throw new TransientError(`the schema registry responded with ${status}: ${why}`)
}

function idIn({ id }: Record<string, unknown>): number {
  if (typeof id === 'number') return id
  throw new TransientError('the schema registry did not return an id')
}

function schemaOfText({ schema, schemaType = 'AVRO' }: Record<string, unknown>): AvroSchema {
  if (typeof schema !== 'string') {
    throw new TransientError('the schema registry did not return a schema')
  }
  if (schemaType !== 'AVRO') throw new UnreadableSchemaError('it is not an Avro schema')
  try {
    return JSON.parse(schema) as AvroSchema
  } catch (cause) {
    throw new UnreadableSchemaError('its text is not JSON', { cause })
  }
}
