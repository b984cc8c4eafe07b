/** The schema registry, through its Confluent API: ids for writing, schemas for reading.
 *
 * No hot path calls it: its client builds types anew at each `decode`, so callers keep what they
 * get.
 */
import { SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry'
import type { AvroSchema } from '../avro/avro-codec.ts'
import { TransientError } from '../../core/consumed.ts'
import { createHttpJson } from '../http-client/http-json.ts'
import type { HttpJson } from '../http-client/http-json.ts'

export interface Registry {
  /** Id under which exactly this schema is registered, or null. @throws {TransientError} */
  idOf(subject: string, schemaText: string): Promise<number | null>
  /**
   * The schema with this id, or null when there is none.
   * @throws {TransientError} while that is not known.
   * @throws {UnreadableSchemaError} when what has this id is no Avro schema.
   */
  schemaOf(id: number): Promise<AvroSchema | null>
  /** Registers the schema and returns its id; a no-op when it is there. */
  register(subject: string, schemaText: string): Promise<number>
  /** The level set on the subject itself, or null when it follows the registry's default. */
  compatibilityOf(subject: string): Promise<string | null>
  setCompatibility(subject: string, level: string): Promise<void>
}

/** Something is registered under the id, and no decoder of Avro can be made of it. */
export class UnreadableSchemaError extends Error {
  override readonly name = 'UnreadableSchemaError'
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
    idOf: async (subject, schemaText) => {
      const path = `/subjects/${encodeURIComponent(subject)}`
      const found = await readOwn(http, ['POST', path, { schema: schemaText }])
      return found === null ? null : idIn(found)
    },
    schemaOf: async (id) => {
      const found = await readOwn(http, ['GET', `/schemas/ids/${id}`])
      if (found === null) return null
      // Schemas made of others are put together by the client; ours never are.
      const isComposed = Array.isArray(found['references']) && found['references'].length > 0
      return isComposed ? composedSchema(client, id) : schemaOfText(found)
    },
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

async function composedSchema(client: SchemaRegistry, id: number): Promise<AvroSchema> {
  try {
    // The client hands out a compiled type; its JSON form is the schema.
    return JSON.parse(JSON.stringify(await client.getSchema(id))) as AvroSchema
  } catch (cause) {
    if ((cause as { status?: unknown }).status === undefined) {
      throw new UnreadableSchemaError('its parts make no Avro schema', { cause })
    }
    throw new TransientError('the schema registry does not answer', { cause })
  }
}

async function readCompatibility(http: HttpJson, path: string): Promise<string | null> {
  const { compatibilityLevel } = (await readOwn(http, ['GET', path])) ?? {}
  return typeof compatibilityLevel === 'string' ? compatibilityLevel : null
}

/** Subject, version, schema, and a level that is set on the subject itself: not found. */
const absentCodes: readonly unknown[] = [40401, 40402, 40403, 40408]

const reasonCharactersMax = 200

interface Refusal {
  readonly error_code?: unknown
  readonly message?: unknown
}

/**
 * What the registry itself answers, or null when it says in its own words that there is none. A 404
 * without its code comes from somebody else (a wrong path, a proxy), and condemns nothing.
 * @throws {TransientError} for every other answer, and for none.
 */
async function readOwn(
  http: HttpJson,
  request: Parameters<HttpJson['send']>
): Promise<Readonly<Record<string, unknown>> | null> {
  const { status, body } = await http.send(...request).catch((cause: unknown) => {
    throw new TransientError('the schema registry does not answer', { cause })
  })
  const isObject = typeof body === 'object' && body !== null
  if (status === 200 && isObject) return body as Record<string, unknown>
  const { error_code: code, message } = (isObject ? body : {}) as Refusal
  if (status === 404 && absentCodes.includes(code)) return null
  const why =
    typeof message === 'string' ? message.slice(0, reasonCharactersMax) : 'without a reason'
  throw new TransientError(`the schema registry answered ${status}: ${why}`)
}

function idIn({ id }: Record<string, unknown>): number {
  if (typeof id === 'number') return id
  throw new TransientError('the schema registry answered something else than an id')
}

function schemaOfText({ schema, schemaType = 'AVRO' }: Record<string, unknown>): AvroSchema {
  if (typeof schema !== 'string') {
    throw new TransientError('the schema registry answered something else than a schema')
  }
  if (schemaType !== 'AVRO') throw new UnreadableSchemaError('it is no Avro schema')
  try {
    return JSON.parse(schema) as AvroSchema
  } catch (cause) {
    throw new UnreadableSchemaError('its text is no JSON', { cause })
  }
}
