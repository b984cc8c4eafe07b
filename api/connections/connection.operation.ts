/** What a caller needs to know of `/v1/evaluation/connections`. */
import { prefixedIdPattern } from '../../core/ids/prefixed-id.ts'
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import type { BodyDefinition, Operation } from '../../http/route.ts'
import { pageExample, pageOf, pageQuerySchema } from '../configuration/list-page.ts'
import { bodyProblems, deletedSchema, deleteProblems } from '../configuration/operation-parts.ts'
import { idParams, nameSchema, plainText } from '../configuration/operation-parts.ts'
import { readProblems, writeProblems } from '../configuration/operation-parts.ts'
import { integerOrNull, objectOf, textOrNull, time } from '../response-schemas.ts'
import { connectionsMax } from './edit-connections.ts'

const text = { type: 'string' } as const
const timeOrNull = { type: ['string', 'null'], format: 'date-time' } as const
const modelsMax = 50
const usdPerMillionMax = 100_000

const price: JsonSchema = {
  type: ['number', 'null'],
  minimum: 0,
  maximum: usdPerMillionMax,
  description: 'US dollars; null when it is not known: what is not known is never counted as 0.'
}

const model: JsonSchema = { type: 'string', minLength: 1, maxLength: 200, pattern: plainText }

const bodyProperties = {
  name: nameSchema,
  base_url: {
    type: 'string',
    minLength: 1,
    maxLength: 2000,
    pattern: plainText,
    description: 'Up to where `/chat/completions` begins. It must be https and on the internet.'
  },
  api_key: {
    type: ['string', 'null'],
    minLength: 1,
    maxLength: 1000,
    pattern: '^[\\x21-\\x7e]+$',
    description: 'Kept sealed and never shown again; null where the provider asks for none.'
  },
  models: {
    type: 'array',
    maxItems: modelsMax,
    description: 'What its models cost. A model that is not listed may be used, at no known price.',
    items: {
      type: 'object',
      required: ['model'],
      properties: { model, usd_per_million_input: price, usd_per_million_output: price },
      additionalProperties: false
    }
  },
  concurrency_max: {
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    description: 'Calls to it at once; 8 when nothing is said.'
  }
} as const

const bodyExample = {
  name: 'judge',
  base_url: 'https://api.openai.com/v1',
  api_key: 'sk-proj-4fJ2',
  models: [{ model: 'gpt-5-mini', usd_per_million_input: 0.25, usd_per_million_output: 2 }]
}

function bodyOf(required: readonly string[], example: unknown): BodyDefinition {
  const schema = { type: 'object', required, properties: bodyProperties }
  return { schema: { ...schema, additionalProperties: false }, example }
}

const connection = objectOf({
  connection_id: text,
  name: text,
  kind: { const: 'openai_compatible' },
  base_url: text,
  has_api_key: { type: 'boolean' },
  api_key_hint: {
    type: ['string', 'null'],
    description: 'Its last characters, unless it is short.'
  },
  models: bodyProperties.models,
  concurrency_max: bodyProperties.concurrency_max,
  circuit: objectOf({
    state: { type: 'string', description: '`closed` works; `open` and `half_open` do not.' },
    reason: textOrNull,
    since: timeOrNull,
    probe_at: timeOrNull,
    paused_until: timeOrNull
  }),
  created_at: time,
  updated_at: time
})

const example = {
  connection_id: 'con_01938c4e5b7a7c3e9f002f6d1c1b8a55',
  name: 'judge',
  kind: 'openai_compatible',
  base_url: 'https://api.openai.com/v1',
  has_api_key: true,
  api_key_hint: '4fJ2',
  models: bodyExample.models,
  concurrency_max: 8,
  circuit: { state: 'closed', reason: null, since: null, probe_at: null, paused_until: null },
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z'
}

const tag = 'connections'
const params = idParams(
  'connection_id',
  prefixedIdPattern('con'),
  'As POST /v1/evaluation/connections answered it.'
)
const shown = (description: string) => ({ description, schema: connection, example })

export const listConnectionsOperation: Operation = {
  ...{ operation_id: 'listConnections', tag, summary: 'List connections' },
  description: 'Where judges are reached, by name, with whether they work at this moment.',
  query: pageQuerySchema,
  response: {
    200: { description: 'A page.', schema: pageOf(connection), example: pageExample(example) }
  },
  problems: [...readProblems, 'invalid_query']
}

export const createConnectionOperation: Operation = {
  ...{ operation_id: 'createConnection', tag, summary: 'Make a connection' },
  description:
    'A server that speaks the OpenAI API. Its key is sealed before it is stored. An organization ' +
    `has at most ${connectionsMax}.`,
  body: bodyOf(['name', 'base_url'], bodyExample),
  response: { 201: shown('The connection.') },
  problems: [...writeProblems, 'name_taken', 'limit_reached', 'secrets_key_missing']
}

export const showConnectionOperation: Operation = {
  ...{ operation_id: 'showConnection', tag, summary: 'Read a connection' },
  description: 'Everything but its key.',
  params,
  response: { 200: shown('The connection.') },
  problems: [...readProblems, 'connection_not_found']
}

export const changeConnectionOperation: Operation = {
  ...{ operation_id: 'changeConnection', tag, summary: 'Change a connection' },
  description:
    'What is left out stays as it is. Another key or URL closes its circuit: runs that waited ' +
    'are tried again at once. A URL of another origin needs the key again.',
  params,
  body: bodyOf([], { api_key: 'sk-proj-9xQ7' }),
  response: { 200: shown('The connection as it is now.') },
  problems: [...writeProblems, 'connection_not_found', 'name_taken', 'secrets_key_missing']
}

export const deleteConnectionOperation: Operation = {
  ...{ operation_id: 'deleteConnection', tag, summary: 'Delete a connection' },
  description: 'Its key is gone with it. Refused while an evaluator calls it.',
  params,
  response: {
    200: {
      description: 'It is deleted.',
      schema: deletedSchema('connection_id'),
      example: { connection_id: example.connection_id, deleted: true }
    }
  },
  problems: [...deleteProblems, 'connection_not_found', 'in_use']
}

export const testConnectionOperation: Operation = {
  ...{ operation_id: 'testConnection', tag, summary: 'Try a connection' },
  description:
    'Makes one small call and tells what came of it. That the provider does not answer is an ' +
    'outcome and no refusal. The call costs what the provider asks for it.',
  params,
  body: {
    schema: {
      type: 'object',
      properties: { model: { ...model, description: 'The first of its models when left out.' } },
      additionalProperties: false
    },
    example: { model: 'gpt-5-mini' }
  },
  response: {
    200: {
      description: 'What came of it.',
      schema: objectOf({
        ok: { type: 'boolean' },
        model: text,
        status_reason: textOrNull,
        message: { type: ['string', 'null'], description: 'What was wrong, in words.' },
        http_status: integerOrNull,
        model_reported: textOrNull,
        latency_ms: integerOrNull,
        input_tokens: integerOrNull,
        output_tokens: integerOrNull
      }),
      example: {
        ...{ ok: false, model: 'gpt-5-mini', status_reason: 'provider_auth' },
        ...{ message: 'the server does not accept the key', http_status: 401 },
        ...{ model_reported: null, latency_ms: null, input_tokens: null, output_tokens: null }
      }
    }
  },
  problems: [
    ...readProblems,
    ...bodyProblems,
    ...(['role_missing', 'connection_not_found', 'secrets_key_missing'] as const)
  ]
}
